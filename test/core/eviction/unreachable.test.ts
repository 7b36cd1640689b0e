import { describe, expect, test } from 'vitest';
import { decideEvictionRound } from '../../../core/eviction/eviction-round.ts';
import { askAboutUnreachable } from '../../../core/eviction/unreachable.ts';
import { selectCandidate } from '../../../core/guard/select-candidate.ts';
import { unreachableSince } from '../../../core/guard/unreachable.ts';
import {
  aCluster,
  aGroup,
  aNode,
  anObservation,
  aPod,
  aPolicy,
  aService,
  aTarget,
  nodeRefOf,
  onePodOnEach,
  withDrain,
} from '../support/facts.ts';
import type { NodeFacts, Policy, TargetState } from '../support/model.ts';

const fiveMinutes = 300_000;
const silent = { ready: false, unknownSince: 0 } as const;

function nodesWith(changes: readonly Partial<NodeFacts>[], size = 10): readonly NodeFacts[] {
  return Array.from({ length: size }, (_, index) => aNode(`n${index + 1}`, changes[index] ?? {}));
}

const withPolicy = (unreachableNodes: Policy['drain']['unreachableNodes']) => aPolicy(withDrain({ unreachableNodes }));

describe('a node is unreachable', () => {
  const [node = aNode('n1')] = nodesWith([silent]);
  const observation = (state: TargetState, nodes = nodesWith([silent])) =>
    anObservation({ nodes }, [aGroup('web', nodes, { targets: [aTarget(node, { state })] })]);

  test('once its kubelet has been silent for as long as Kubernetes tolerates, not before', () => {
    expect(unreachableSince(node, observation('unhealthy'), fiveMinutes - 1)).toBeUndefined();
    expect(unreachableSince(node, observation('unhealthy'), fiveMinutes)).toBe(0);
  });

  test.each(['unhealthy', 'unhealthy.draining', 'draining', 'unused'] as const)('while its target is %s', (state) => {
    expect(unreachableSince(node, observation(state), fiveMinutes)).toBe(0);
  });

  test.each(['healthy', 'initial', 'unavailable'] as const)('never while its target is %s: it may serve', (state) => {
    expect(unreachableSince(node, observation(state), 100 * fiveMinutes)).toBeUndefined();
  });

  test('not when it is gone, or another node has its name', () => {
    expect(unreachableSince(node, observation('unhealthy', []), fiveMinutes)).toBeUndefined();
    expect(unreachableSince({ ...node, uid: 'before' }, observation('unhealthy'), fiveMinutes)).toBeUndefined();
  });
});

describe('pods that are stuck on a node whose kubelet is silent', () => {
  const hanging = aPod('web-1', 'n1', { terminating: true, killedAt: 40_000 });
  const decide = (nodes: readonly NodeFacts[], policy: Policy, now = fiveMinutes) =>
    decideEvictionRound({
      node: nodeRefOf(aNode('n1')),
      facts: aCluster({ nodes, pods: [hanging] }),
      policy,
      run: 'run',
      now,
      removedAt: {},
      unreadySince: {},
      drainedAt: {},
    });

  test('are waited for where an operator is to be asked', () => {
    expect(decide(nodesWith([silent]), withPolicy('ask'))).toMatchObject({ remaining: 1, isStuckTerminating: true });
  });

  test('end with the instance when the policy says so, and are named', () => {
    const round = decide(nodesWith([silent]), withPolicy('terminate'));
    expect(round).toMatchObject({ remaining: 0, isStuckTerminating: false });
    expect(round.leftovers).toEqual([
      expect.stringMatching(/^default\/web-1: the kubelet .* so it ends with the instance$/),
    ]);
    expect(decide(nodesWith([silent]), withPolicy('terminate'), fiveMinutes - 1).remaining).toBe(1);
    expect(decide(nodesWith([]), withPolicy('terminate')).remaining).toBe(1);
  });

  test('end with an instance of the new pool in any case, because only a rollback drains it', () => {
    const fresh = { ...silent, pool: aPolicy().target.poolName };
    expect(decide(nodesWith([fresh]), withPolicy('ask')).remaining).toBe(0);
  });

  test('are waited for where a fifth of the nodes is silent: those have lost the network to the API server', () => {
    expect(decide(nodesWith([silent, silent]), withPolicy('terminate')).remaining).toBe(1);
    expect(decide(nodesWith([silent, silent], 11), withPolicy('terminate')).remaining).toBe(0);
  });
});

describe('a guard', () => {
  const minServing = { 'default/web': { targets: 3 } };
  const guard = { ...aPolicy().guard, minServing, maxInFlight: 1 };
  const all = nodesWith([], 4);
  const pods = onePodOnEach('web', all);
  const baselines = [] as const;
  const stableSince = Object.fromEntries(all.map(({ name }) => [name, -fiveMinutes]));

  function ask(state: TargetState, at: number, inFlight: readonly string[] = []) {
    const nodes = nodesWith([silent], 4);
    const seen = pods.map((pod) => (pod.node === 'n1' ? { ...pod, ready: false } : pod));
    const targets = nodes.map((node) => aTarget(node, node.name === 'n1' ? { state } : {}));
    const observation = anObservation({ nodes, pods: seen, services: [aService('web', seen)] }, [
      aGroup('web', nodes, { targets }),
    ]);
    const of = (names: readonly string[]) => nodes.filter(({ name }) => names.includes(name)).map(nodeRefOf);
    const waiting = inFlight.length === 0 ? of(['n1']) : of(['n2']);
    const facts = { ...observation, observedAt: at };
    return selectCandidate({
      facts,
      policy: aPolicy({ guard }),
      baselines,
      inFlight: of(inFlight),
      waiting,
      stableSince,
    });
  }

  test('allows excluding an unreachable node that serves nothing any more, though its Service is short', () => {
    expect(ask('unhealthy', fiveMinutes).node?.name).toBe('n1');
  });

  test('blocks one that its load balancer finds healthy', () => {
    expect(ask('healthy', fiveMinutes).node).toBeUndefined();
  });

  test('does not count it among nodes in progress', () => {
    expect(ask('unhealthy', fiveMinutes - 1, ['n1']).blockedBy?.limit).toBe('in-flight');
    expect(ask('unhealthy', fiveMinutes, ['n1']).blockedBy?.limit).not.toBe('in-flight');
  });
});

const askOperator = (state: 'running' | 'stopped') =>
  askAboutUnreachable(
    { node: nodeRefOf(aNode('n1')), since: 0, state, pods: [aPod('web-1', 'n1')] },
    (node) => `terminate ${node.instanceId}`,
  );

test('an operator is told of an instance that is off, which may also be started again', () => {
  const { message, hint } = askOperator('stopped');
  expect(message).toContain(`the cloud reports ${aNode('n1').instanceId} as stopped`);
  expect(hint).toContain(`Start the instance again, or terminate it: terminate ${aNode('n1').instanceId}.`);
});

test('an operator is asked with names, times and a command', () => {
  const { code, message, hint } = askOperator('running');
  expect(code).toBe('NodeUnreachable');
  expect(message).toMatch(
    /^n1 is unreachable: .* since .*, no load balancer .*1 pod there can't terminate \(default\/web-1\)/,
  );
  expect(hint).toContain(`: terminate ${aNode('n1').instanceId}.`);
});
