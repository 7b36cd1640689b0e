import { describe, expect, test } from 'vitest';
import { type CandidateQuestion, selectCandidate } from '../../../core/guard/select-candidate.ts';
import {
  aBudget,
  aGroup,
  aNode,
  aPolicy,
  aService,
  aTarget,
  aWorkload,
  nodeRefOf,
  withMinServing,
} from '../support/facts.ts';
import type { Policy, ServingFacts } from '../support/model.ts';
import { factsOf, learned, nodes, pods, type Scene } from '../support/scene.ts';

const whole = factsOf();
/** Every observation until now has found that all nodes may leave. */
const stableSince = Object.fromEntries(nodes.map(({ name }) => [name, -60_000]));
const n1 = [nodeRefOf(aNode('n1'))];

interface Changes extends Omit<Partial<CandidateQuestion>, 'policy'> {
  readonly guard?: Partial<Policy['guard']>;
  readonly policy?: Partial<Policy>;
}

/** Four nodes wait that serve one Service with a minimum of three. */
function ask({ guard, policy, ...changes }: Changes = {}): ReturnType<typeof selectCandidate> {
  const asked = aPolicy({ ...policy, ...withMinServing(3, guard) });
  return selectCandidate({
    facts: whole,
    policy: asked,
    baselines: learned(whole, asked),
    inFlight: [],
    waiting: nodes.map(nodeRefOf),
    stableSince,
    ...changes,
  });
}

describe('a node with an annotation that asks not to disrupt it', () => {
  const facts = factsOf({ changed: { n1: { doNotDisrupt: true } } });
  const drain = aPolicy().drain;

  test('waits, and the next one is selected', () => {
    expect(ask({ facts }).node?.name).toBe('n2');
    const answer = ask({ facts, waiting: n1 });
    expect(answer).toMatchObject({ node: undefined, blockedBy: { node: 'n1', limit: 'do-not-disrupt' } });
    expect(answer.reason).toBe('n1 waits: its annotation karpenter.sh/do-not-disrupt asks to leave it alone');
    expect(ask({ facts, waiting: n1, policy: { disabledRules: ['capacity-guard'] } }).node).toBeUndefined();
  });

  test('is selected when the policy says so', () => {
    expect(ask({ facts, policy: { drain: { ...drain, doNotDisrupt: 'evict' } } }).node?.name).toBe('n1');
    expect(ask({ facts, waiting: n1, policy: { drain: { ...drain, doNotDisrupt: 'wait' } } }).node).toBeUndefined();
  });
});

describe('the minimum of serving targets', () => {
  test('selects the first waiting node while the minimum holds', () => {
    const answer = ask();
    expect(answer.node?.name).toBe('n1');
    expect(answer.reason).toBe('n1 may be excluded: default/web keeps 3 of 4 serving targets, minimum serving 3');
  });

  test('says what has least to spare without the selected node', () => {
    expect(ask().because).toBe('default/web keeps 3 of 4 serving targets, minimum serving 3');
    const spared = { guard: { minServing: { 'default/web': { targets: 1 } } } };
    const facts = factsOf({ budgets: [aBudget('web', pods, 2)] });
    expect(ask({ facts, ...spared }).because).toBe('budget default/web keeps 3 of 4 reachable pods, needs 2');
    expect(ask({ facts }).because).toBe('default/web keeps 3 of 4 serving targets, minimum serving 3');
    expect(ask({ policy: { disabledRules: ['capacity-guard'] } }).because).toBe('the capacity guard is disabled');
    expect(ask({ inFlight: n1 })).not.toHaveProperty('because');
  });

  test('counts a node in flight as out even while the facts still show it serving', () => {
    const answer = ask({ inFlight: n1 });
    expect(answer.node).toBeUndefined();
    expect(answer.blockedBy).toEqual({
      node: 'n2',
      limit: 'targets',
      service: 'default/web',
      needs: 3,
      has: 3,
      source: 'policy',
    });
    expect(answer.reason).toBe('n2 waits: default/web has 3 serving targets and must keep 3 (policy)');
  });

  test.each([
    ['excluded from load balancers by anybody', { excluded: true }],
    ['not Ready', { ready: false }],
    ['disrupted by Karpenter', { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' as const }] }],
    [
      'announced to end by the cluster autoscaler',
      { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' as const }] },
    ],
  ])('does not count a node that is %s', (_, change) => {
    expect(ask({ facts: factsOf({ changed: { n4: change } }), waiting: n1 }).node).toBeUndefined();
  });

  test('does not count a node that somebody else has cordoned, unless it waits to be replaced', () => {
    const facts = factsOf({ changed: { n4: { cordoned: true, pool: 'other' } } });
    expect(ask({ facts, waiting: n1 }).node).toBeUndefined();
    expect(ask({ facts }).node?.name).toBe('n1');
  });

  test('treats the other nodes of a waiting pool as waiting too, named or not', () => {
    const facts = factsOf({ changed: { n4: { cordoned: true } } });
    expect(ask({ facts, waiting: n1 }).node?.name).toBe('n1');
  });

  test('still counts nodes that the run itself has cordoned', () => {
    const facts = factsOf({
      changed: { n4: { cordoned: true, pool: 'other', ownership: { cordonedBy: 'run' } } },
    });
    expect(ask({ facts, waiting: n1 }).node?.name).toBe('n1');
  });

  test.each(['initial', 'unhealthy', 'unhealthy.draining', 'draining', 'unused', 'unavailable'] as const)(
    'does not count a target that is %s',
    (state) => {
      expect(ask({ facts: factsOf({ states: { n4: state } }), waiting: n1 }).node).toBeUndefined();
    },
  );

  test('counts a node only when it is healthy on every port and in every target group of the Service', () => {
    const some = aGroup('web', nodes, { id: 'arn:web2', targets: nodes.slice(0, 3).map((node) => aTarget(node)) });
    const port = aTarget(aNode('n4'), { port: 30_443, state: 'unhealthy' });
    const ports = aGroup('web', nodes, { targets: [port, ...nodes.map((node) => aTarget(node))] });
    for (const targetGroups of [[aGroup('web', nodes), some], [ports]])
      expect(ask({ facts: { ...whole, targetGroups }, waiting: n1 }).node).toBeUndefined();
  });

  test('needs a ready endpoint on the node under policy Local, but not under Cluster', () => {
    const fewer: Scene = { pods: pods.slice(0, 3), states: { n4: 'healthy' } };
    expect(ask({ facts: factsOf(fewer), waiting: n1 }).node).toBeUndefined();
    expect(ask({ facts: factsOf({ ...fewer, traffic: 'Cluster' }), waiting: n1 }).node?.name).toBe('n1');
  });

  test('does not count a terminating endpoint as ready', () => {
    const endpoints = aService('web', pods).endpoints.map((one) =>
      one.node === 'n4' ? { ...one, terminating: true } : one,
    );
    expect(ask({ facts: factsOf({ service: { endpoints } }), waiting: n1 }).node).toBeUndefined();
  });

  test('never blocks a node for a Service that it neither hosts nor is a target of', () => {
    const states = { n1: 'absent', n2: 'unhealthy', n3: 'unhealthy', n4: 'unhealthy' } as const;
    const facts = factsOf({ pods: pods.slice(1), states });
    expect(ask({ facts }).node?.name).toBe('n1');
    expect(ask({ facts, waiting: nodes.slice(1).map(nodeRefOf) }).node).toBeUndefined();
  });
});

describe('the minimum of a zone', () => {
  const facts = factsOf({ crossZone: false });
  const minServing = { 'default/web': { targets: 1 } };
  const baselines = learned(facts);

  test('keeps a serving target in every zone that served', () => {
    const answer = ask({ facts, baselines, guard: { minServing }, inFlight: n1, waiting: [nodeRefOf(aNode('n2'))] });
    expect(answer.blockedBy).toMatchObject({ node: 'n2', limit: 'zone', zone: 'a', needs: 1, has: 1 });
    expect(answer.reason).toContain('has 1 serving target in a and must keep 1');
  });

  test('skips a blocked node and selects one of another zone', () => {
    expect(ask({ facts, baselines, guard: { minServing }, inFlight: n1 }).node?.name).toBe('n3');
  });
});

describe('the minimum of a budget', () => {
  const guard = { minServing: {} };

  test('under Local, a node takes its endpoints with it', () => {
    const facts = factsOf({ budgets: [aBudget('web', pods, 3)] });
    expect(ask({ facts, guard }).reason).toContain('budget default/web keeps 3 of 4 reachable pods, needs 3');
    const answer = ask({ facts, guard, inFlight: n1 });
    expect(answer.blockedBy).toEqual({ node: 'n2', limit: 'endpoints', budget: 'default/web', needs: 3, has: 3 });
    expect(answer.reason).toBe('n2 waits: budget default/web has 3 reachable pods and must keep 3');
  });

  test('under Cluster, nodes take no endpoint with them, because eviction asks the budget pod by pod', () => {
    const facts = factsOf({ traffic: 'Cluster', budgets: [aBudget('web', pods, 4)] });
    const loose = { defaultMinServing: 0.5 };
    expect(ask({ facts, guard: { ...guard, ...loose } }).node?.name).toBe('n1');
    expect(ask({ facts, guard: { ...guard, ...loose }, inFlight: n1 }).node?.name).toBe('n2');
  });
});

describe('the nodes in progress', () => {
  test('are never more than the policy allows', () => {
    const answer = ask({ guard: { maxInFlight: 1 }, inFlight: [nodeRefOf(aNode('gone'))] });
    expect(answer.blockedBy).toEqual({ node: 'n1', limit: 'in-flight', needs: 1, has: 1 });
    expect(answer.reason).toBe('n1 waits: 1 node in progress, at most 1 may be');
  });

  test('has no minimum only when the guard is off', () => {
    const answer = ask({ policy: { disabledRules: ['capacity-guard'] }, inFlight: nodes.slice(0, 3).map(nodeRefOf) });
    expect(answer.node?.name).toBe('n4');
    expect(answer.reason).toContain('disabled');
  });

  test('ends when no node waits', () => {
    expect(ask({ waiting: [] })).toEqual({ node: undefined, reason: 'no node waits to be excluded', stableSince: {} });
  });

  test('selects a node that has failed meanwhile', () => {
    expect(ask({ waiting: [nodeRefOf(aNode('dead'))], stableSince: { dead: -60_000 } }).node?.name).toBe('dead');
  });
});

describe('a moment', () => {
  const at = (observedAt: number, facts = whole): ServingFacts => ({ ...facts, observedAt });
  const flapping = factsOf({ changed: { n4: { ready: false } } });

  test('must be stable for twice as long after each time that the node was restored', () => {
    const since = (ms: number) => ({ n1: -ms });
    expect(ask({ waiting: n1, stableSince: since(5_000) }).node?.name).toBe('n1');
    expect(ask({ waiting: n1, stableSince: since(5_000), rounds: { n1: 1 } })).toMatchObject({
      node: undefined,
      stableInMs: 5_000,
    });
    expect(ask({ waiting: n1, stableSince: since(10_000), rounds: { n1: 1 } }).node?.name).toBe('n1');
    expect(ask({ waiting: n1, stableSince: since(319_999), rounds: { n1: 60 } }).node).toBeUndefined();
    expect(ask({ waiting: n1, stableSince: since(320_000), rounds: { n1: 60 } }).node?.name).toBe('n1');
  });

  test('is not enough: observations must agree for the stabilization time', () => {
    const first = ask({ stableSince: {} });
    expect(first).toMatchObject({ node: undefined, stableInMs: 5_000 });
    expect(first.reason).toBe('n1 may be excluded once observations have agreed for another 5s');
    const early = ask({ facts: at(4_999), stableSince: first.stableSince });
    expect(early).toMatchObject({ node: undefined, stableInMs: 1 });
    expect(ask({ facts: at(5_000), stableSince: early.stableSince }).node?.name).toBe('n1');
  });

  test('in which the node may not be excluded makes the time begin again', () => {
    const first = ask({ stableSince: {} });
    const disagrees = ask({ facts: at(3_000, flapping), stableSince: first.stableSince });
    expect(disagrees.node).toBeUndefined();
    const again = ask({ facts: at(6_000), stableSince: disagrees.stableSince });
    expect(again).toMatchObject({ node: undefined, stableInMs: 5_000 });
    expect(ask({ facts: at(11_000), stableSince: again.stableSince }).node?.name).toBe('n1');
  });

  test('after an outage of the API server is not trusted, nor are the observations before', () => {
    const away = factsOf({ cluster: { outageAt: 0 } });
    const answer = ask({ facts: at(59_999, away) });
    expect(answer).toMatchObject({ node: undefined, stableSince: {} });
    expect(answer.reason).toBe(
      'n1 waits: the API server was unavailable; observations are not trusted for another 1ms',
    );
    const settled = ask({ facts: at(60_000, away), stableSince: answer.stableSince });
    expect(settled).toMatchObject({ node: undefined, stableInMs: 5_000 });
    expect(ask({ facts: at(65_000, away), stableSince: settled.stableSince }).node?.name).toBe('n1');
  });

  test('in which many nodes became silent at once is not trusted', () => {
    const silent = nodes.map((node, index) => (index < 2 ? { ...node, ready: false, unknownSince: 0 } : node));
    const facts = factsOf({ nodes: silent, observedAt: 30_000 });
    const answer = ask({ facts, policy: { disabledRules: ['capacity-guard'] } });
    expect(answer).toMatchObject({ node: undefined, stableSince: {} });
    expect(answer.reason).toContain('2 nodes of 4 fell silent together');
  });

  test('of a rollout blocks the node until it ends, and names the workload', () => {
    const answer = ask({ facts: factsOf({ workloads: [aWorkload('web', 4, { rollingOut: true })] }) });
    expect(answer.node).toBeUndefined();
    expect(answer.reason).toBe('n1 waits: Deployment default/web behind default/web rolls out, and has pods there');
  });
});
