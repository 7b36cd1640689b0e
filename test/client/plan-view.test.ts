import { expect, test } from 'vitest';
import { plainStyle } from '../../client/output/style.ts';
import { renderPlan } from '../../client/view/plan.ts';
import { buildPlan } from '../../core/plan/build-plan.ts';
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
} from '../core/support/facts.ts';

const nodes = [aNode('n1'), aNode('n2', { zone: 'b' })];
const web = onePodOnEach('web', nodes, { ownerUid: 'rs' });
const db = aPod('db-0', 'n1', { ownerKind: 'StatefulSet', ownerName: 'db', labels: { app: 'db' } });

test('a plan says what is replaced, what protects each Service, which pods are surged, and how long it should take', () => {
  const cluster = {
    nodes,
    pods: [...web, db],
    services: [aService('web', web)],
    budgets: [aBudget('web', web, 2)],
    workloads: [aWorkload('web', 2, { surge: 1 })],
  };
  const plan = buildPlan({
    policy: aPolicy(withPodSurge()),
    run: 'run',
    pool: aPool(nodes),
    facts: anObservation(cluster, [aGroup('web', nodes)]),
  });
  expect(`\n${renderPlan(plan, plainStyle).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    c/web → web-1-34   1.33 → 1.34

    NODE   ZONE   INSTANCE
    n1     a      i-n1
    n2     b      i-n2

    SERVICE       POLICY   MIN-SERVING             WHY       CONN-DRAIN   FORWARDED   ENDPOINTS
    default/web   Local    1 target, 2 endpoints   pdb web   5m 15s       0ms         yes

    WORKLOAD                 PODS   HOW         BATCH   WHY
    Deployment default/db    1      evicted     -       a StatefulSet controls it, and pod surge supports only pods of Deployments
    Deployment default/web   2      pod surge   2       -

    replicas count as unavailable until replacements are ready, and alerts on that fire: Deployment default/web 2 of 2 here
    replacements may come to any node that takes them, not to web-1-34 only, and push out pods of lower priority there

    no findings

    surge 2 nodes, together; at most 28 instance-minutes beyond the pool
    expected 14m 9s: new nodes boot and register 5m 48s, 1 × pod surge 53s, 1 × deregistration 5m 15s, 1 × pods move 40s, 1 × replacements turn healthy 33s, last termination 1m
    "
  `);
});

test('a plan says when the run may change something, and in which stages', () => {
  const weekdays = ['Mon', 'Tue', 'Wed', 'Thu'] as const;
  const policy = {
    ...aPolicy(),
    schedule: {
      timeZone: 'Europe/Berlin',
      windows: [{ days: weekdays, startMinute: 22 * 60, endMinute: 28 * 60 }],
      freezes: [],
      calendars: [],
    },
    rollout: {
      canary: { nodes: 1, soakMs: 600_000 },
      zones: [],
      approvals: { at: ['start', 'canary'], timeoutMs: undefined, onTimeout: 'stall' },
    },
  } as const;
  const cluster = { nodes, pods: [...web], services: [aService('web', web)] };
  const facts = anObservation(cluster, [aGroup('web', nodes)]);
  const plan = buildPlan({ policy, run: 'run', pool: aPool(nodes), facts });
  const lines = renderPlan(plan, plainStyle);
  expect(
    lines.slice(
      lines.findIndex((line) => line.startsWith('upgrade windows')),
      -1,
    ),
  ).toEqual([
    'upgrade windows: Mon-Thu 22:00-04:00 Europe/Berlin',
    expect.stringMatching(
      /^new nodes and the first batch need an open window for \d+m \d+s, estimated by the plan, with a margin$/,
    ),
    expect.stringMatching(/^stage 1, after approval of start: 1 node \(n\d\), then a soak of 10m$/),
    expect.stringMatching(/^stage 2, after approval of canary: 1 node \(n\d\)$/),
  ]);
});
