import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawBenchPicture, readMeasuredOrders } from '../../scripts/generate/bench-picture.ts';
import { projectRoot } from '../../scripts/setup/sources.ts';
import { drawTerminal } from '../pictures/ansi-svg.ts';

const pages = [
  'README.md',
  ...readdirSync(join(projectRoot, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Pictures that a page shows, with what is said of them. */
function picturesIn(page: string): readonly { readonly path: string; readonly alt: string }[] {
  const text = readFileSync(join(projectRoot, page), 'utf8');
  return [...text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, alt = '', path = '']) => ({
    path: normalize(join(dirname(page), path)),
    alt,
  }));
}

test('every picture is shown somewhere, and every one that is shown is there and described', () => {
  const shown = pages.flatMap(picturesIn);
  const kept = readdirSync(join(projectRoot, 'docs', 'pictures')).map((name) => `docs/pictures/${name}`);
  expect([...new Set(shown.map(({ path }) => path))].toSorted()).toEqual(kept.toSorted());
  for (const { path, alt } of shown) expect(alt.length, path).toBeGreaterThan(30);
});

describe('the picture of a bench', () => {
  const page = [
    '| nodes | order | requests | lost | cut | slow | duration | of its bound |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    '| 2 | nodeferry, with pod surge | 17,274 | 0 | 0 | 0 | 71 s | 1.09 × 65.3 s |',
    '| 8 | nodeferry, with pod surge | 20,197 | 0 | 0 | 0 | 85 s | 1.18 × 71.6 s |',
    '| 8 | script: exclude & <sleep> | 70,036 | 1,541 | 3 | 2 | 337 s | – |',
  ].join('\n');

  test('has the figures of the largest pool', () => {
    expect(readMeasuredOrders(page).at(-1)).toEqual({
      nodes: 8,
      order: 'script: exclude & <sleep>',
      bad: 1544,
      seconds: 337,
    });
    const picture = drawBenchPicture(page);
    expect(picture).toContain('>8 nodes replaced under the same traffic<');
    expect([...picture.matchAll(/>([^<>]+)<\/text>/g)].map(([, text]) => text)).toEqual([
      '8 nodes replaced under the same traffic',
      'requests lost or reset',
      'time',
      'nodeferry',
      'with pod surge',
      'none',
      '85 s',
      'script',
      'exclude &amp; &lt;sleep&gt;',
      '1,544',
      '337 s',
    ]);
  });

  test('shows that nothing was lost only where nothing was', () => {
    expect(drawBenchPicture(page.replace('| 0 | 0 | 0 | 85 s', '| 0 | 1 | 0 | 85 s'))).not.toContain('>none<');
  });

  test('refuses a page without figures', () => {
    expect(() => drawBenchPicture('# Performance')).toThrow(/no measured orders/);
  });
});

test('the picture of a terminal keeps columns, colours and every sign', () => {
  const picture = drawTerminal('nodeferry status a/b', [
    '\u001b[1ma/b\u001b[22m   \u001b[32mdone\u001b[39m <&>',
    '  x',
  ]);
  expect(picture).toContain('font-weight="bold">a/b</tspan>');
  expect(picture).toMatch(/<tspan x="68\.6" fill="#7ee787">done<\/tspan>/);
  expect(picture).toContain('\u00a0&lt;&amp;&gt;</tspan>');
  expect(picture).toContain('>\u00a0\u00a0x</tspan>');
});
