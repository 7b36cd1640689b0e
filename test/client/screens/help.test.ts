/** The help of every command, which is how most people learn it. */
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { callCommandLine } from '../../support/command-line.ts';
import { golden } from './drawn.ts';

async function helpOf(command: readonly string[]): Promise<string> {
  const { stdout, code } = await callCommandLine([...command, '--help'], { LANG: 'C' });
  expect(code).toBe(0);
  return stdout;
}

/** Sections of a help that list no commands. */
const otherSections = /^(?:Usage|Arguments|Options|Examples?|Exit codes):/;

/** Commands below a command, as its help lists them. */
function commandsIn(help: string): readonly string[] {
  const sections = help
    .split('\n\n')
    .filter((section) => /^[A-Z][\w ]+:\n/.test(section) && !otherSections.test(section));
  const listed = sections.join('\n');
  return [...listed.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].flatMap(([, name = '']) =>
    name === 'help' ? [] : [name.split('|')[0] ?? ''],
  );
}

async function collect(command: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const help = await helpOf(command);
  const below: (readonly [string, string])[] = [];
  for (const name of commandsIn(help)) below.push(...(await collect([...command, name])));
  return [[command.join(' ') || 'nodeferry', help], ...below];
}

test('fits 80 columns and ASCII, and shows examples', async () => {
  const all = await collect([]);
  for (const [command, help] of all) {
    const lines = help.split('\n');
    expect
      .soft(
        lines.filter((line) => stringWidth(line) > 80 && !/^ {2}\$ /.test(line)),
        command,
      )
      .toEqual([]);
    expect(help.match(/[^\n\u0020-\u007e]/g), command).toBeNull();
    if (command !== 'nodeferry') expect(help, command).toMatch(/\nExamples?:\n {2}\$ .*nodeferry /);
    await expect(help).toMatchFileSnapshot(golden('help', command));
  }
  const kept = readdirSync(dirname(golden('help', 'nodeferry'))).map((file) => file.replace('.txt', ''));
  expect(kept.toSorted()).toEqual(all.map(([command]) => command.replaceAll(' ', '-')).toSorted());
});
