/** What is in the pages of reference, against the lists that code goes by. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../client/cli.ts';
import { readCommands } from '../../client/completion/command-tree.ts';
import { exitCodes } from '../../client/output/exit-codes.ts';
import { problemCodes } from '../../core/model/problem.ts';
import { metrics, prometheusNameOf } from '../../core/status/metrics.ts';

function readPage(name: string): string {
  return readFileSync(join(import.meta.dirname, '..', '..', 'docs', name), 'utf8');
}

/** The first cells of the rows of all tables below a heading. */
function firstCells(page: string, heading: string): readonly string[] {
  const [, section = ''] = `${page}\n## `.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^\| `?([^`|]+?)`? \|/gm)].map(([, cell = '']) => cell);
}

const commands = readCommands(createProgram('nodeferry', () => undefined)).filter(({ path }) => !/^$|help/.test(path));

describe('docs/reference.md has', () => {
  const page = readPage('reference.md');

  test('every problem code and no other', () => {
    expect(firstCells(page, 'Problem codes').slice(1)).toEqual(Object.keys(problemCodes));
  });

  test('every exit code and no other', () => {
    expect(firstCells(page, 'Exit codes').slice(1).map(Number)).toEqual(
      Object.values(exitCodes).toSorted((a, b) => a - b),
    );
  });

  test.each(commands.map((one) => [one.path, one] as const))('every option of %s', (path, { options }) => {
    const [, section] = page.split(`\n### ${path}\n`);
    const [own = ''] = (section ?? '').split('\n### ');
    const shared = firstCells(page, 'Options of several commands').join(' ');
    const missing = options
      .flatMap(({ flags }) => flags)
      .filter((flag) => !/^(?:-h|--help)$/.test(flag) && !new RegExp(`(?:^| |\`)${flag}\\b`, 'm').test(own + shared));
    expect(section).toBeDefined();
    expect(missing).toEqual([]);
  });
});

test('docs/metrics.md has every metric and no other', () => {
  const cells = [...readPage('metrics.md').matchAll(/^\| `(nodeferry_\w+)`/gm)].map(([, name]) => name);
  expect(cells).toEqual(metrics.map(prometheusNameOf));
});

test('the first table of docs/cli.md has every command and no other', () => {
  const [overview = ''] = readPage('cli.md').split('\n### ');
  const named = [...overview.matchAll(/^\| `([a-z][a-z-]*(?: [a-z]+)?)[^`]*` \| [a-z]/gm)].map(([, name]) => name);
  const leaves = commands.filter(({ subcommands }) => subcommands.length === 0).map(({ path }) => path);
  expect(new Set(named)).toEqual(new Set(leaves));
});
