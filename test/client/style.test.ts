import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { legible, plainStyle, styleFor } from '../../client/output/style.ts';
import { renderTree } from '../../client/view/tree.ts';
import { aNode, aRun, startedAt } from './run-status-fixture.ts';

const terminal = { isTTY: true, columns: 80 } as NodeJS.WriteStream;
const pipe = {} as NodeJS.WriteStream;

test.each([
  { env: {}, stream: terminal, coloured: true },
  { env: {}, stream: pipe, coloured: false },
  { env: { NO_COLOR: '1' }, stream: terminal, coloured: false },
  { env: { FORCE_COLOR: '1' }, stream: pipe, coloured: true },
  { env: { FORCE_COLOR: '0' }, stream: terminal, coloured: false },
  { env: { FORCE_COLOR: 'false' }, stream: terminal, coloured: false },
])('$env on $stream colours: $coloured', ({ env, stream, coloured }) => {
  expect(styleFor(stream, env).paint('bad', 'x') !== 'x').toBe(coloured);
});

test('text is ASCII where the locale is not UTF-8', () => {
  expect(legible('1.35 → 1.36, the worker’s log…', { LC_ALL: 'C' })).toBe("1.35 -> 1.36, the worker's log...");
  expect(legible('1.35 → 1.36', { LANG: 'C.UTF-8' })).toBe('1.35 → 1.36');
});

test('a tree on a narrow terminal breaks between words and keeps its bars', () => {
  const on = 'the cloud to answer: connect ECONNREFUSED 127.0.0.1:443 (try 12), which it did at 20:41:31 UTC';
  const waiting = { for: on, since: startedAt, until: startedAt + 60_000 };
  const run = aRun({ waiting, nodes: [aNode('n1', { step: 'evicting', waiting }), aNode('n2')] });
  const lines = renderTree(run, startedAt, { ...plainStyle, width: 40 });
  // The reason moves below its row, and the deadline loses its time of day.
  const whole = renderTree(run, startedAt, plainStyle).map((line) =>
    line.startsWith('├─') ? line.replace(' (03:05:05)', '') : line.replace('REASON', ''),
  );
  const words = (text: readonly string[]) =>
    text
      .join(' ')
      .split(/[\s│]+/)
      .filter((word) => word !== '');

  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(40);
  expect(words(lines)).toEqual(words(whole));
  const first = lines.findIndex((line) => line.includes('n1'));
  const second = lines.findIndex((line) => line.includes('n2'));
  expect(second - first).toBeGreaterThan(3);
  for (const line of lines.slice(first + 1, second)) expect(line).toMatch(/^│ {4}/);
});
