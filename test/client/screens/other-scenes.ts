/** Plans, lists and leftovers, with names as long as those of real clusters. */
import type { ListedRun } from '../../../client/view/run-list.ts';
import type { CleanupPlan } from '../../../core/cleanup/plan-cleanup.ts';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import type { PoolPlan } from '../../../core/plan/pool-plan.ts';
import type { Policy } from '../../../core/policy/policy.ts';
import {
  aBudget,
  aGroup,
  aNode,
  anObservation,
  aPod,
  aPolicy,
  aPool,
  aService,
  aWorkload,
  onePodOnEach,
  withPodSurge,
} from '../../core/support/facts.ts';
import { startedAt } from '../run-status-fixture.ts';
import { nameOf } from './scenes.ts';

const nodes = [0, 1, 2, 3].map((n) =>
  aNode(nameOf(n), { zone: n % 2 === 0 ? 'eu-west-1a' : 'eu-west-1b', instanceId: `i-0a1b2c3d4e5f6789${n}` }),
);
const web = onePodOnEach('web', nodes, { ownerUid: 'rs' });
const db = aPod('db-0', nameOf(1), { ownerKind: 'StatefulSet', ownerName: 'db', labels: { app: 'db' } });

function buildPlanFor(policy: Policy, spare: number): PoolPlan {
  const cluster = {
    nodes,
    pods: [...web, db],
    services: [aService('web', web)],
    budgets: [aBudget('web', web, web.length - spare)],
    workloads: [aWorkload('web', 4, { surge: 1 })],
  };
  return buildPlan({
    policy,
    run: 'run',
    pool: aPool(nodes),
    facts: anObservation(cluster, [aGroup('web', nodes)]),
  });
}

const drain: Policy = {
  ...aPolicy(),
  selection: { nodes: nodes.slice(0, 1).map(({ name, uid }) => ({ name, uid })), terminate: false },
};

/** Plans, by what an operator sees. */
export const plans: Readonly<Record<string, PoolPlan>> = {
  'with pod surge': buildPlanFor(aPolicy(withPodSurge()), 1),
  'that is refused': buildPlanFor(aPolicy(), 0),
  'of a drain': buildPlanFor(drain, 1),
};

const run: ListedRun = {
  cluster: 'prod-eu',
  pool: 'web',
  run: 'run-1a2b3c4d',
  state: 'replace',
  phase: 'replace',
  startedAt,
  newPool: 'web-1-36',
  version: '1.36',
  workflowId: 'pool-upgrade/prod-eu/web',
  workflowRunId: 'e5d0',
};

/** Runs on several clusters. */
export const runs: readonly ListedRun[] = [
  run,
  { ...run, pool: 'batch', state: 'stalled' },
  {
    ...run,
    cluster: 'prod-us',
    state: 'paused',
    paused: { by: 'ann@laptop', reason: 'error rate is up', at: startedAt },
  },
  { ...run, pool: 'api', state: 'rolled-back', phase: 'rolled-back', closedAt: startedAt + 3_000_000 },
];

/** What clean-ups find. */
export const leftovers: Readonly<Record<string, CleanupPlan>> = {
  nothing: { runs: [], actions: [], stays: [], waits: [], leftAlone: [], settling: false, draining: false },
  several: {
    runs: ['run-1a2b3c4d'],
    actions: [
      { kind: 'restore-node', run: 'run-1a2b3c4d', node: nodeRefOf(0) },
      { kind: 'uncordon', run: 'run-1a2b3c4d', node: nodeRefOf(1) },
      { kind: 'unlock', run: 'run-1a2b3c4d' },
    ],
    stays: [`pod shop/checkout-7d9f8b6c5-x2x9p on ${nameOf(2)} serves, and no other pod of its Service does`],
    waits: [],
    leftAlone: ['run-9f8e7d6c works on prod-eu/batch'],
    settling: false,
    draining: false,
  },
  unasked: {
    runs: ['run-1a2b3c4d'],
    actions: [{ kind: 'uncordon', run: 'run-1a2b3c4d', node: nodeRefOf(1) }],
    stays: [],
    waits: [
      'pod shop/checkout-7d9f8b6c5-x2x9p: the load balancers of shop/checkout may send to it, and could not be asked',
      'pod shop/cart-5b8c7d9f4-q4w8z: it is still an endpoint of shop/cart',
    ],
    loadBalancersUnread: 'target group k8s-shop: DescribeTargetHealth: AccessDenied',
    leftAlone: [],
    settling: false,
    draining: true,
  },
};

function nodeRefOf(n: number) {
  const { name, uid } = aNode(nameOf(n));
  return { name, uid, instanceId: `i-0a1b2c3d4e5f${n}`, zone: 'eu-west-1a' };
}
