import type { Evidence, NodeStatus, RunReport } from '../../core/status/status.ts';
import type { EvidenceKind } from '../../core/steps/steps.ts';
import { aNode, aRun, startedAt } from './run-status-fixture.ts';

/** What is observed of a node that is replaced, and when, seconds after its exclusion. */
const moments: readonly (readonly [EvidenceKind, number])[] = [
  ['registered', 0],
  ['healthy', 0],
  ['excluded', 0],
  ['deregistered', 12],
  ['connections-drained', 130],
  ['evicted', 160],
  ['replacements-serving', 190],
  ['endpoints-removed', 200],
  ['forwarded-ended', 320],
  ['terminated', 350],
  ['node-deleted', 352],
];

/** A node that was excluded `seconds` after the start of the run, and replaced. */
export function aReplacedNode(
  name: string,
  zone: string,
  seconds: number,
  changes: Partial<NodeStatus> = {},
): NodeStatus {
  const at = (after: number) => startedAt + (seconds + after) * 1000;
  const evidence = moments.map(
    ([kind, after]): Evidence => ({
      kind,
      at: at(after),
      detail: `${kind} of ${name}`,
      ...(kind === 'excluded' ? { because: 'default/web keeps 4 of 5 serving targets, minimum serving 2' } : {}),
    }),
  );
  return {
    ...aNode(name),
    node: { name, uid: `uid-${name}`, instanceId: `i-${name}`, zone },
    step: 'replaced',
    evidence,
    ...changes,
  };
}

/** A completed run with something in every section of its report. */
export function aReport(changes: Partial<RunReport> = {}): RunReport {
  const minute = (n: number) => startedAt + n * 60_000;
  return {
    ...aRun({
      phase: 'completed',
      finishedAt: minute(14),
      traffic: {
        sent: 4200,
        lost: 3,
        slow: 1,
        losses: [
          {
            probe: 'web',
            lost: 3,
            whileNoneOut: 1,
            spells: [
              { from: minute(4), to: minute(4) + 2000, lost: 2, canBeOurs: true, nodes: ['n1'] },
              { from: minute(13), to: minute(13), lost: 1, canBeOurs: false, nodes: [] },
            ],
          },
        ],
        unwatchedMs: 45_000,
        unwatched: [{ from: minute(7), to: minute(7) + 45_000 }],
      },
      window: { mayStart: true, detail: 'open until 05:00', until: minute(120), checkedAt: minute(6) },
      windowOverride: { by: 'ben', reason: 'CVE-2026-1234', at: minute(1) },
      actions: [
        { action: 'start', by: 'ann', reason: 'CVE', at: startedAt },
        { action: 'override-window', by: 'ben', reason: 'CVE-2026-1234', at: minute(1) },
        { action: 'approve', of: 'canary', by: 'cleo', reason: 'the canary serves well', at: minute(3) },
      ],
      externalChanges: [{ at: minute(5), what: 'somebody scaled web' }],
    }),
    nodes: [
      aReplacedNode('n1', 'eu-west-1a', 90),
      aReplacedNode('n2', 'eu-west-1b', 90),
      aReplacedNode('n3', 'eu-west-1a', 400, { externalChanges: [{ at: minute(8), what: 'somebody cordoned n3' }] }),
    ],
    outcome: 'completed',
    durationMs: 14 * 60_000,
    newNodes: [{ name: 'f1', uid: 'uid-f1', instanceId: 'i-f1', zone: 'eu-west-1a' }],
    instanceMinutes: 31.5,
    leftovers: ['web keeps AZRebalance suspended'],
    unprotected: ['default/api: no maximum connection age'],
    ...changes,
  };
}
