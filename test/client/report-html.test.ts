import { describe, expect, test } from 'vitest';
import { composeReport } from '../../client/report/compose-report.ts';
import { renderHtml } from '../../client/report/render-html.ts';
import type { RunReport } from '../../core/status/status.ts';
import { columns } from '../../core/steps/steps.ts';
import { attributeOf, type Element, elementsOf, textOf } from './html-tree.ts';
import { aReplacedNode, aReport } from './run-report-fixture.ts';
import { aNode, startedAt } from './run-status-fixture.ts';

const madeBy = 'nodeferry 1.2.3';

function htmlOf(report: RunReport): string {
  return renderHtml(composeReport(report, { madeBy }));
}

function pageOf(report: RunReport) {
  const elements = elementsOf(htmlOf(report));
  const all = (tag: string, name?: string) =>
    elements.filter(
      (one) => one.tagName === tag && (name === undefined || attributeOf(one, 'class').split(' ').includes(name)),
    );
  const sections = new Map(all('section').map((section) => [textOf(headingOf(section)), section]));
  return { elements, all, sections, text: (heading: string) => textOf(sections.get(heading) ?? headingOf()) };
}

function headingOf(section?: Element): Element {
  const found = section?.childNodes.find((child): child is Element => 'tagName' in child && child.tagName === 'h2');
  if (found === undefined) throw new Error('no such section');
  return found;
}

describe('the HTML report', () => {
  const page = pageOf(aReport());

  test('has its sections in the order in which they are read', () => {
    expect([...page.sections.keys()]).toEqual([
      'Requests',
      'What needs doing',
      'Timeline',
      'Nodes',
      'Why the guard allowed each exclusion',
      'Approvals and operator actions',
      'Upgrade windows',
      'Accepted findings',
      'External changes',
      'Cost',
      'Versions and new nodes',
    ]);
    expect(page.all('title').map(textOf)[0]).toBe('prod/web 1.35.9 → 1.36.3');
    expect(page.all('p', 'outcome').map(textOf)).toEqual([
      '✖ Completed in 14m; 3 requests lost, 1 of them while no node of the run was out',
    ]);
  });

  test('says what was sent, lost and not watched', () => {
    expect(page.all('dd').map(textOf)).toEqual([
      '4200',
      '✖ 3 (1 of them while no node of the run was out)',
      '1',
      '▲ 45s',
    ]);
    expect(page.text('Requests')).toContain('not watched from 2026-01-02 03:11:05 to 2026-01-02 03:11:50 (45s)');
    expect(page.text('Requests')).toContain('2 from 03:08:05 to 03:08:07 UTC while n1 was out');
  });

  test('says who did what, when and why, and which external changes there were', () => {
    expect(page.text('Approvals and operator actions')).toContain(
      '2026-01-02 03:07:05approvecanarycleothe canary serves well',
    );
    expect(page.text('Upgrade windows')).toContain('Overridden at 2026-01-02 03:05:05 by ben: CVE-2026-1234');
    expect(page.text('External changes')).toMatch(/somebody scaled web[^]*somebody cordoned n3/);
    expect(page.text('Accepted findings')).toContain('default/api: no maximum connection age');
    expect(page.text('What needs doing')).toContain('web keeps AZRebalance suspended');
    expect(page.text('Cost')).toContain('31.5 instance-minutes');
    expect(page.text('Why the guard allowed each exclusion')).toContain('minimum serving 2: n1, n2, n3');
  });

  test('has the columns of the terminal report, and a row for each node', () => {
    const table = elementsOf(htmlOf(aReport())).filter(({ tagName }) => tagName === 'table')[1];
    const head = table?.childNodes.find((child): child is Element => 'tagName' in child && child.tagName === 'thead');
    const shown = columns.filter(({ onlyWhenSeen, kind }) => onlyWhenSeen !== true || kind === 'forwarded-ended');
    expect(head === undefined ? '' : textOf(head)).toBe(
      ['Node', 'Zone', 'Instance', 'Step', ...shown.map(({ title }) => title)].join(''),
    );
    expect(page.text('Nodes')).toContain('n1eu-west-1ai-n1replaced+90.0s+90.0s+90.0s+102.0s');
  });

  test('draws a row for each node, the zones, the losses and the time without probes', () => {
    expect(page.all('g', 'row').map((row) => textOf(row).split(':')[0])).toEqual(['n1', 'n3', 'n2']);
    expect(page.all('text', 'zone').map(textOf)).toEqual(['eu-west-1a', 'eu-west-1b']);
    expect(page.all('g', 'loss').map(textOf)).toEqual([
      'web lost 2 from 4 to 4.03 min, while nodes of the run were out✖ 2 lost',
      'web lost 1 from 13 to 13 min, while no node of the run was out✖ 1 lost',
    ]);
    expect(page.all('rect', 'unwatched')).toHaveLength(1);
    expect(page.all('rect', 'draining-connections')).toHaveLength(3);
    expect(page.all('desc').map(textOf)).toEqual([
      '3 nodes in 2 zones, over 14m. 3 lost requests marked on it. The tables below have the times.',
    ]);
  });

  test('can be read without colours and by a screen reader', () => {
    const numbers = page
      .all('li')
      .map(textOf)
      .filter((text) => /^\d /.test(text));
    expect(numbers).toEqual([
      '1 pending',
      '2 deregistering',
      '3 draining connections',
      '4 evicting pods',
      '5 awaiting replacements',
      '6 removing endpoints',
      '7 awaiting forwarded connections',
      '8 terminating',
    ]);
    expect(page.all('text', 'number').map(textOf)).toContain('3');
    expect(page.all('svg').map((svg) => attributeOf(svg, 'aria-labelledby'))).toEqual(['timeline-title timeline-text']);
    expect(page.all('th').every((cell) => ['col', 'row'].includes(attributeOf(cell, 'scope')))).toBe(true);
    expect(page.all('caption')).toHaveLength(page.all('table').length);
    expect(page.all('html').map((one) => attributeOf(one, 'lang'))).toEqual(['en']);
  });

  test('needs nothing from outside', () => {
    const loading = ['script', 'link', 'img', 'image', 'iframe', 'object', 'embed', 'use', 'base', 'form', 'a'];
    expect(page.elements.filter(({ tagName }) => loading.includes(tagName))).toEqual([]);
    expect(htmlOf(aReport())).not.toMatch(/https?:|@import|url\((?!#)/);
  });
});

describe('a run that went wrong', () => {
  const lossless = { sent: 9, lost: 0, slow: 0 };
  const problem = { code: 'DeadlineExceeded', message: 'n1 is stuck', hint: 'scale up' } as const;

  test('leads with its problem', () => {
    const { all } = pageOf(aReport({ traffic: lossless, outcome: 'failed', phase: 'failed', stalled: problem }));
    const [outcome, cause, fix] = all('p').map(textOf);
    expect([outcome, cause, fix]).toEqual(['✖ Failed in 14m', '✖ DeadlineExceeded: n1 is stuck', 'Fix: scale up']);
  });

  test('says how to continue, and what its nodes need', () => {
    const nodes = [aNode('n1', { step: 'stalled', problem })];
    const failed = pageOf(aReport({ outcome: 'failed', phase: 'failed', stalled: problem, nodes }));
    expect(failed.text('What needs doing')).toContain('n1: DeadlineExceeded: n1 is stuck Fix: scale up');
    expect(failed.text('What needs doing')).toContain('nodeferry cleanup prod/web --yes');
    expect(failed.all('rect', 'stalled')).toHaveLength(1);
  });

  test('says who aborted it, and why', () => {
    const abort = { action: 'abort', by: 'ann', reason: 'the new image is broken', at: startedAt } as const;
    const { all } = pageOf(
      aReport({ traffic: lossless, outcome: 'aborted', phase: 'aborted', actions: [abort], nodes: [] }),
    );
    expect(all('p').map(textOf).slice(0, 2)).toEqual(['▲ Aborted in 14m', '▲ Aborted by ann: the new image is broken']);
    expect(all('svg')).toEqual([]);
  });

  test('says who rolled it back, to which pool, and why', () => {
    const asked = { by: 'ann', reason: 'a bad version', at: startedAt } as const;
    const actions = [
      { ...asked, action: 'abort' },
      { ...asked, action: 'rollback' },
    ] as const;
    const { all } = pageOf(
      aReport({ traffic: lossless, outcome: 'rolled-back', phase: 'rolled-back', actions, rollback: asked, nodes: [] }),
    );
    expect(all('p').map(textOf).slice(0, 2)).toEqual([
      '▲ Rolled back to web in 14m',
      '▲ Rolled back by ann: a bad version',
    ]);
  });
});

test('a run that lost nothing, or only while no node of it was out, says so first', () => {
  const outcomeOf = (traffic: RunReport['traffic']) => pageOf(aReport({ traffic })).all('p', 'outcome').map(textOf);
  expect(outcomeOf({ sent: 9, lost: 0, slow: 0 })).toEqual(['✔ Completed in 14m']);
  const losses = [{ probe: 'web', lost: 1, whileNoneOut: 1, spells: [] }];
  expect(outcomeOf({ sent: 9, lost: 1, slow: 0, losses })).toEqual([
    '▲ Completed in 14m; 1 request lost, while no node of the run was out',
  ]);
});

test.each([
  ['has no probes', 0, 'the policy has no probes'],
  ['has probes that sent nothing', 2, '2 probes sent nothing'],
])('a run that %s says that nothing was measured, and not that nothing was lost', (_, probes, why) => {
  const { all, text } = pageOf(aReport({ probes, traffic: { sent: 0, lost: 0, slow: 0 } }));
  expect(all('p', 'outcome').map(textOf)).toEqual(['▲ Completed, nothing measured, in 14m']);
  expect(text('Requests')).toContain(`Not measured: ${why}.`);
  expect(text('Requests')).not.toMatch(/\b0\b/);
  expect(all('dl')).toEqual([]);
});

test('names and messages from outside stay text', () => {
  const evil = `"><script>alert('x')</script><img src=http://evil.example/x>&amp;\u202e`;
  const report = aReport({
    cluster: evil,
    outcome: 'failed',
    stalled: { code: 'Internal', message: evil, hint: evil },
    leftovers: [evil],
    unprotected: [evil],
    actions: [{ action: 'start', by: evil, reason: evil, at: startedAt, of: evil }],
    externalChanges: [{ at: startedAt, what: evil }],
    newNodes: [{ name: evil, uid: evil, instanceId: evil, zone: evil }],
    nodes: [aReplacedNode(evil, evil, 60)],
  });
  const { elements, all } = pageOf(report);
  expect(elements.filter(({ tagName }) => tagName === 'script' || tagName === 'img')).toEqual([]);
  expect(elements.flatMap(({ attrs }) => attrs).filter(({ name }) => /^on|src|href/.test(name))).toEqual([]);
  expect(textOf(all('h1')[0] ?? headingOf())).toContain(`<script>alert('x')</script>`);
  expect(htmlOf(report)).not.toContain('\u202e');
});

describe('a pool of 500 nodes', () => {
  const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'];
  const nodes = Array.from({ length: 500 }, (_, index) => {
    const name = `ip-10-0-${Math.floor(index / 256)}-${index % 256}.eu-west-1.compute.internal`;
    return aReplacedNode(name, zones[index % 3] ?? '', Math.floor(index / 25) * 600 + (index % 25));
  });
  const report = aReport({ nodes, newNodes: nodes.map(({ node }) => node), durationMs: 20 * 600_000 });

  test('still makes a file that can be attached', () => {
    expect(Buffer.byteLength(htmlOf(report))).toBeLessThan(1_500_000);
  });

  test('makes a picture of thin rows and a name for each batch', () => {
    const { all } = pageOf(report);
    expect(all('g', 'row')).toHaveLength(500);
    const [, , , height] = attributeOf(all('svg')[0] ?? headingOf(), 'viewBox')
      .split(' ')
      .map(Number);
    expect(height).toBeLessThan(2_500);
    expect(all('text').map(textOf)).toContain('ip-10-0-0-0 and 8 more');
  });
});
