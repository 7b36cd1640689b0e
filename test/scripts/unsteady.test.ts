import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recallUnsteady, rememberUnsteady, unsteadyOutput } from '../../scripts/testing/unsteady.ts';

const slow = { name: 'test/workflows/watch.test.ts: a watch', first: 'it took too long\nat watch', again: '1 passed' };
const lab = { name: 'test/e2e/lab.test.ts: a lab', first: 'no port', again: '1 passed' };
const run = { at: '2026-11-24T23:00:00.000Z', folder: '/src' };

function freshFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nodeferry-unsteady-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'cache', 'unsteady.json');
}

test('what was unsteady is recalled until its project runs again', () => {
  const path = freshFile();
  expect(recallUnsteady(path)).toBe('');
  rememberUnsteady(path, 'workflow', { ...run, tests: [slow] });
  rememberUnsteady(path, 'e2e', { ...run, tests: [lab] });
  expect(recallUnsteady(path).split('\n')).toEqual([
    'unsteady last time:',
    '  test/workflows/watch.test.ts: a watch: it took too long (2026-11-24T23:00:00.000Z, /src)',
    '  test/e2e/lab.test.ts: a lab: no port (2026-11-24T23:00:00.000Z, /src)',
    `  in full: ${path}`,
  ]);
  rememberUnsteady(path, 'workflow', { ...run, tests: [] });
  expect(recallUnsteady(path)).not.toContain('a watch');
  rememberUnsteady(path, 'e2e', { ...run, tests: [] });
  expect(recallUnsteady(path)).toBe('');
});

test('a file that was only half written is taken for none', () => {
  const path = freshFile();
  rememberUnsteady(path, 'e2e', { ...run, tests: [lab] });
  writeFileSync(path, '{ "e2e": ');
  expect(recallUnsteady(path)).toBe('');
});

test('both outputs stand under one heading, each cut to its end; nothing is printed where all was steady', () => {
  expect(unsteadyOutput([], '/cache/unsteady.json')).toBe('');
  const again = Array.from({ length: 300 }, (_, line) => `line ${line + 1}`).join('\n');
  const lines = unsteadyOutput([{ ...slow, again }], '/cache/unsteady.json').split('\n');
  expect(lines.slice(0, 6)).toEqual([
    '=== UNSTEADY: failed, and passed when repeated. Each is a defect to be fixed. Recorded in /cache/unsteady.json',
    '--- test/workflows/watch.test.ts: a watch ---',
    'first:',
    'it took too long',
    'at watch',
    'repeated:',
  ]);
  expect(lines).toContain('line 300');
  expect(lines).not.toContain('line 200');
});
