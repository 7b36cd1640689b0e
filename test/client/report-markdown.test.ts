import { expect, test } from 'vitest';
import { composeReport } from '../../client/report/compose-report.ts';
import { renderMarkdown } from '../../client/report/render-markdown.ts';
import type { RunReport } from '../../core/status/status.ts';
import { aReplacedNode, aReport } from './run-report-fixture.ts';
import { aNode, startedAt } from './run-status-fixture.ts';

function markdownOf(report: RunReport): string {
  return renderMarkdown(composeReport(report, { madeBy: 'nodeferry 1.2.3' }));
}

test('the Markdown report says the same as the HTML report, in tables', () => {
  const report = aReport({ nodes: [aReplacedNode('n_1', 'eu-west-1a', 90)] });
  expect(markdownOf(report)).toBe(`# prod/web 1.35.9 → 1.36.3

**✖ Completed in 14m; 3 requests lost, 1 of them while no node of the run was out**

1 of 1 node replaced; started 2026-01-02 03:04:05, ended 2026-01-02 03:18:05

## Requests

| sent | lost | slow | not measured |
|---|---|---|---|
| 4200 | ✖ 3 (1 of them while no node of the run was out) | 1 | ▲ 45s |

- web lost 3, 1 of them while no node of the run was out: 2 from 03:08:05 to 03:08:07 UTC while n1 was out or just had been; 1 at 03:17:05 UTC while none was out

- ▲ not watched from 2026-01-02 03:11:05 to 2026-01-02 03:11:50 (45s)

## What needs doing

Not restored, or left on purpose because restoring it would do harm:

- ▲ web keeps AZRebalance suspended

## Timeline

Where the time of the nodes went:

| Step | Nodes | Median | Longest |
|---|---|---|---|
| pending | 1 | 1m 30s | 1m 30s (n_1) |
| deregistering | 1 | 12s | 12s (n_1) |
| draining connections | 1 | 1m 58s | 1m 58s (n_1) |
| evicting pods | 1 | 30s | 30s (n_1) |
| awaiting replacements | 1 | 30s | 30s (n_1) |
| removing endpoints | 1 | 10s | 10s (n_1) |
| awaiting forwarded connections | 1 | 2m | 2m (n_1) |
| terminating | 1 | 32s | 32s (n_1) |

## Nodes

When each step was observed, in seconds after the start of the run:

| Node | Zone | Instance | Step | REGISTERED | HEALTHY | EXCLUDED | DEREGISTERED | CONN-DRAINED | EVICTED | REPLACED | ENDPOINTS | FORWARDED | TERMINATED |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
| n_1 | eu-west-1a | i-n_1 | replaced | +90.0s | +90.0s | +90.0s | +102.0s | +220.0s | +250.0s | +280.0s | +290.0s | +410.0s | +440.0s |

## Why the guard allowed each exclusion

- default/web keeps 4 of 5 serving targets, minimum serving 2: n_1

## Approvals and operator actions

Who did what, and why:

| When | Action | Of | By | Why |
|---|---|---|---|---|
| 2026-01-02 03:04:05 | start |  | ann | CVE |
| 2026-01-02 03:05:05 | override-window |  | ben | CVE-2026-1234 |
| 2026-01-02 03:07:05 | approve | canary | cleo | the canary serves well |

## Upgrade windows

▲ Overridden at 2026-01-02 03:05:05 by ben: CVE-2026-1234

Last checked at 2026-01-02 03:10:05: open until 05:00

## Accepted findings

- ▲ default/api: no maximum connection age

## External changes

What others changed meanwhile:

| When | What |
|---|---|
| 2026-01-02 03:09:05 | somebody scaled web |

## Cost

Instance time beyond the pool: 31.5 instance-minutes (31m 30s).

## Versions and new nodes

Old pool: web, 1.35.9. New pool: web-1-36, 1.36.3.

New nodes of web-1-36:

| Node | Zone | Instance |
|---|---|---|
| f1 | eu-west-1a | i-f1 |

---

Run run-1, workflow pool-upgrade/prod/web. Written by nodeferry 1.2.3 from the evidence of the run. All times are UTC.
`);
});

test.each([
  ['a table', 'a | b', String.raw`a \| b`],
  ['HTML', '<img src=x>', String.raw`\<img src=x\>`],
  ['a link', '[click](http://evil)', String.raw`\[click\](http\://evil)`],
  ['emphasis', '**big** _it_ ~no~ `code`', String.raw`\*\*big\*\* \_it\_ \~no\~ ${'\\`'}code${'\\`'}`],
  ['an entity', '&lt;', String.raw`\&lt;`],
  ['a break of the line', 'one\n\n# two', String.raw`one \# two`],
  ['a backslash', String.raw`a\|b`, String.raw`a\\\|b`],
  ['a hidden sign', 'a\u202eb', String.raw`a\\u202eb`],
])('text from outside stays text where it could be %s', (_, evil, written) => {
  const actions = [{ action: 'start', by: 'ann', reason: evil, at: startedAt } as const];
  expect(markdownOf(aReport({ actions }))).toContain(`| 2026-01-02 03:04:05 | start |  | ann | ${written} |\n`);
});

test.each([
  ['- x', String.raw`- \- x: n1`],
  ['1. x', String.raw`- 1\. x: n1`],
])('a line that begins with %s stays in its list', (because, written) => {
  const excluded = { kind: 'excluded', at: startedAt, detail: '', because } as const;
  const report = aReport({ nodes: [aNode('n1', { evidence: [excluded] })] });
  expect(markdownOf(report)).toContain(`\n${written}\n`);
});
