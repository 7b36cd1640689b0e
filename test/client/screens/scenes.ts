/** Runs as an operator meets them, with names as long as those of real clusters. */

import type { SeenRun } from '../../../client/view/seen-run.ts';
import { explainBlock, explainNever, type GuardBlock } from '../../../core/guard/block.ts';
import type { NodeStatus, RunReport, RunStatus, Waiting } from '../../../core/status/status.ts';
import { aReplacedNode } from '../run-report-fixture.ts';
import { aNode, aRun, startedAt } from '../run-status-fixture.ts';

/** The time on the screens, epoch ms. */
export const now = startedAt + 754_000;

const zones = ['eu-west-1a', 'eu-west-1b'] as const;

/** Name of the n-th old node. */
export function nameOf(n: number): string {
  return `ip-10-0-${(n % 2) + 1}-${10 + n}.eu-west-1.compute.internal`;
}

function node(n: number, changes: Partial<NodeStatus> = {}): NodeStatus {
  const name = nameOf(n);
  const zone = zones[n % 2] ?? '';
  return { ...aNode(name), node: { name, uid: `uid-${n}`, instanceId: `i-0a1b2c3d4e5f${n}`, zone }, ...changes };
}

function replaced(n: number): NodeStatus {
  return aReplacedNode(nameOf(n), zones[n % 2] ?? '', 60 + 20 * n);
}

function waits(on: string, seconds: number, rest: Partial<Waiting> = {}): Waiting {
  return { for: on, since: now - seconds * 1000, until: now + 90_000, ...rest };
}

const draining = node(2, {
  step: 'draining-connections',
  waiting: waits('k8s-default-web-8a1e5d5f61: draining (Target.DeregistrationInProgress)', 25),
});
const pending = [3, 4, 5, 6].map((n) => node(n));
const halfWay = [replaced(0), replaced(1), draining, ...pending];
const traffic = { sent: 18_250, lost: 0, slow: 0 };
const ann = { by: 'ann@laptop', reason: 'error rate is up', at: now - 60_000 };

function run(changes: Partial<RunStatus> = {}): SeenRun {
  return {
    ...aRun({ cluster: 'prod-eu', newPool: 'web-1-36', nodes: halfWay, traffic, ...changes }),
    workflow: { state: 'running' },
  };
}

const blockedBy = (counts: { readonly needs: number; readonly has: number; readonly expects: number }) => ({
  pod: 'shop/checkout-7d9f8b6c5-x2x9p',
  budget: 'shop/checkout',
  ...counts,
  demand: { field: 'minAvailable', amount: 3, isPercentage: false } as const,
  since: now - 240_000,
  reason: 'budget shop/checkout',
});

const strict: GuardBlock = {
  node: nameOf(3),
  limit: 'endpoints',
  budget: 'shop/checkout',
  needs: 3,
  has: 3,
  never: { expects: 3, takes: 1, demand: { field: 'minAvailable', amount: 90, isPercentage: true } },
};

const evicting = (counts: Parameters<typeof blockedBy>[0]) =>
  node(2, {
    step: 'evicting',
    waiting: waits('1 pod left', 240, { blocked: [blockedBy(counts)] }),
  });

const stalledNode = node(2, {
  step: 'stalled',
  problem: {
    code: 'DeadlineExceeded',
    message: `${nameOf(2)} to be empty: timed out after 15 min: 1 pod left; shop/checkout-7d9f8b6c5-x2x9p: budget shop/checkout needs all of its 3 pods healthy, so it never lets one leave`,
    hint: 'PodDisruptionBudget shop/checkout never lets a pod leave. Let it spare at least one pod (maxUnavailable: 1), or run at least 4 of its pods: its minAvailable is 3. Then resume.',
  },
  waiting: waits('an operator', 600, { until: undefined }),
});

const opening =
  'an upgrade window: the next batch may take 12m 30s, and the window closes in 4m; continues Mon 2026-01-05 22:00 (in 2d 18h)';

/** Runs under way, by what an operator sees. */
export const underWay: Readonly<Record<string, SeenRun>> = {
  'before the plan': run({ phase: 'preflight', nodes: [], traffic: { sent: 0, lost: 0, slow: 0 }, fromVersion: '' }),
  'half way': run(),
  paused: run({ paused: ann, nodes: [replaced(0), replaced(1), node(2), ...pending] }),
  'waiting for a window': run({
    nodes: [replaced(0), replaced(1), node(2), ...pending],
    window: { mayStart: false, detail: opening, until: now + 240_000_000, checkedAt: now - 5_000 },
    waiting: waits(opening, 300, {
      until: undefined,
      action: 'none, it continues by itself; to continue at once: nodeferry override-window prod-eu/web --reason <why>',
    }),
  }),
  'waiting for approval': run({
    nodes: [replaced(0), node(1), node(2), ...pending],
    approval: { of: 'canary', since: now - 300_000, until: now + 240_000_000, onTimeout: 'abort' },
    waiting: waits('approval of canary', 300, {
      until: now + 240_000_000,
      action: 'nodeferry approve prod-eu/web   or: nodeferry reject prod-eu/web --reason <why>',
    }),
  }),
  'waiting for the guard': run({
    nodes: [replaced(0), replaced(1), node(2), ...pending],
    waiting: waits(`${nameOf(2)} waits: default/web has 1 serving target in eu-west-1a and must keep 1 (pdb web)`, 45),
  }),
  'waiting for the guard, with a budget that never allows': run({
    nodes: [replaced(0), replaced(1), node(2), ...pending],
    waiting: waits(explainBlock(strict), 45, { until: undefined, remedy: explainNever(strict) ?? '' }),
  }),
  'blocked by a budget that never allows': run({
    nodes: [replaced(0), replaced(1), evicting({ needs: 3, has: 3, expects: 3 }), ...pending],
  }),
  'blocked by a budget for now': run({
    nodes: [replaced(0), replaced(1), evicting({ needs: 2, has: 2, expects: 3 }), ...pending],
  }),
  stalled: run({ stalled: stalledNode.problem, nodes: [replaced(0), replaced(1), stalledNode, ...pending] }),
  aborting: run({ actions: [...run().actions, { action: 'abort', ...ann }] }),
  'rolling back': run({
    phase: 'rolling-back',
    rollback: ann,
    nodes: [replaced(0), replaced(1), node(2), ...pending],
    waiting: waits('2 instances of web to join the cluster and be registered', 40),
  }),
  draining: run({
    pool: 'web',
    newPool: '',
    toVersion: '',
    drain: 'keep',
    phase: 'drain',
    nodes: [node(2, { step: 'drained' }), draining],
    actions: [{ action: 'start', by: 'ann@laptop', reason: 'bad disk', at: startedAt }],
  }),
  'that has failed, with leftovers': {
    ...run({
      phase: 'failed',
      finishedAt: now,
      nodes: [replaced(0), ...pending],
      stalled: {
        code: 'Forbidden',
        message: 'the role may not delete node groups',
        hint: 'Allow eks:DeleteNodegroup.',
      },
    }),
    leftovers: ['web keeps AZRebalance suspended'],
    workflow: { state: 'failed', closedAt: now },
  },
  terminated: {
    ...run(),
    workflow: { state: 'terminated', closedAt: now - 30_000, by: 'ben', reason: 'wrong cluster' },
  },
};

const finished = {
  finishedAt: now,
  durationMs: now - startedAt,
  newNodes: [],
  instanceMinutes: 88,
  leftovers: [],
  unprotected: [],
};
const allReplaced = [0, 1, 2, 3, 4, 5, 6].map((n) => replaced(n));

function report(outcome: RunReport['outcome'], changes: Partial<RunReport> = {}): RunReport {
  const { workflow: _, ...status } = run({ phase: outcome, nodes: allReplaced });
  return { ...status, ...finished, outcome, ...changes };
}

/** Reports of runs that have ended, by how. */
export const ended: Readonly<Record<string, RunReport>> = {
  completed: report('completed'),
  'completed, nothing measured': report('completed', { probes: 0, traffic: { sent: 0, lost: 0, slow: 0 } }),
  'completed with losses': report('completed', {
    traffic: {
      sent: 18_250,
      lost: 3,
      slow: 1,
      losses: [
        {
          probe: 'shop',
          lost: 3,
          whileNoneOut: 0,
          spells: [{ from: now - 400_000, to: now - 398_000, lost: 3, canBeOurs: true, nodes: [nameOf(1)] }],
        },
      ],
    },
  }),
  aborted: report('aborted', {
    nodes: [replaced(0), replaced(1), node(2, { step: 'restored', restoredBecause: 'the run is aborted' }), ...pending],
    actions: [...run().actions, { action: 'abort', ...ann }],
  }),
  'rolled back': report('rolled-back', {
    rollback: { ...ann, nodes: [node(8).node, node(9).node] },
    actions: [...run().actions, { action: 'rollback', ...ann }],
  }),
  failed: report('failed', {
    nodes: [],
    stalled: {
      code: 'LockHeld',
      message: 'run-1a2b3c4d of prod-eu/web holds the lock on the pool, since 02:59:00',
      hint: 'Wait for that run, or end it. If it was terminated: nodeferry cleanup prod-eu/web',
    },
  }),
  'aborted with leftovers': report('aborted', {
    nodes: pending,
    leftovers: ['web keeps AZRebalance suspended', `${nameOf(3)} keeps the taint nodeferry.dev/disrupted`],
    actions: [...run().actions, { action: 'abort', ...ann }],
  }),
};
