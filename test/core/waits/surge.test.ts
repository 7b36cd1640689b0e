import { describe, expect, test } from 'vitest';
import { decideNodesReady, decideNodesRegistered } from '../../../core/waits/surge.ts';
import { aGroup, aNode, anObservation, aPod, aPolicy, aService, aTarget } from '../support/facts.ts';
import type { NodeFacts, TargetState } from '../support/model.ts';

const upgrading = aPolicy({ target: { ...aPolicy().target, poolName: 'web-1-34' } });
const old = aNode('n1');
const agent = (name: string, node: string, ready: boolean) =>
  aPod(name, node, { ownerKind: 'DaemonSet', ownerName: 'agent', ready });

function decide(changes: {
  node?: Partial<NodeFacts>;
  state?: TargetState | 'absent';
  policy?: 'Local' | 'Cluster';
  agents?: readonly [boolean, boolean];
  /** Only until they can take pods. */
  forPods?: boolean;
  /** State of the old node's target. */
  old?: TargetState;
}) {
  const fresh = aNode('new', { pool: 'web-1-34', ...changes.node });
  const state = changes.state ?? 'unhealthy';
  const targets = [
    aTarget(old, { state: changes.old ?? 'healthy' }),
    ...(state === 'absent' ? [] : [aTarget(fresh, { state })]),
  ];
  const pods =
    changes.agents === undefined
      ? []
      : [agent('agent-1', 'n1', changes.agents[0]), agent('agent-2', 'new', changes.agents[1])];
  const services = [aService('web', [], { externalTrafficPolicy: changes.policy ?? 'Local' })];
  return (changes.forPods === true ? decideNodesReady : decideNodesRegistered)({
    facts: anObservation({ nodes: [old, fresh], pods, services }, [aGroup('web', [], { targets })]),
    policy: upgrading,
    expected: 1,
  });
}

test.each([
  ['a registered node without a pod is ready under Local though it fails its health check', {}, true],
  ['so is one whose failing target still drains', { state: 'unhealthy.draining' }, true],
  ['but not under Cluster', { state: 'unhealthy.draining', policy: 'Cluster' }, false],
  ['a healthy node is ready under Local', { state: 'healthy' }, true],
  ['a healthy node is ready under Cluster', { state: 'healthy', policy: 'Cluster' }, true],
  ['a node that fails its health check is not ready under Cluster', { policy: 'Cluster' }, false],
  ['a node that fails is ready under Cluster where nobody serves', { policy: 'Cluster', old: 'unhealthy' }, true],
  ['a node that is being registered is not ready', { state: 'initial' }, false],
  ['a node that is not registered is not ready', { state: 'absent' }, false],
  ['a node that is draining is not ready', { state: 'draining' }, false],
  ['a node that is NotReady is not ready', { node: { ready: false } }, false],
  ['a node of another pool does not count', { node: { pool: 'other' } }, false],
  ['a DaemonSet pod that is not Ready on it delays it', { agents: [true, false] }, false],
  ['a DaemonSet without any Ready pod does not delay it', { agents: [false, false] }, true],
  ['a DaemonSet pod that is Ready on it is fine', { agents: [true, true] }, true],
  ['a node that is not registered can take pods', { state: 'absent', forPods: true }, true],
  ['a node that is NotReady can’t', { node: { ready: false }, forPods: true }, false],
  ['nor one with a DaemonSet pod that is not Ready', { agents: [true, false], forPods: true }, false],
] as const)('%s', (_, changes, done) => {
  expect(decide(changes).done).toBe(done);
});

test('says how many nodes are missing, and which are not registered where', () => {
  expect(decide({ node: { ready: false } }).reason).toBe('0 of 1 new nodes are Ready, not ready: new');
  expect(decide({ state: 'absent' }).reason).toBe('k8s-web has not registered new (not registered)');
  expect(decide({ agents: [true, false] }).reason).toBe('DaemonSet pods not Ready: default/agent-2');
});

test('names running instances that have not joined, not terminated ones', () => {
  const fresh = aNode('new', { pool: 'web-1-34' });
  const instance = (instanceId: string, state: 'running' | 'terminated') => ({ instanceId, zone: 'a', state });
  const decision = decideNodesRegistered({
    facts: anObservation({ nodes: [fresh] }, []),
    policy: upgrading,
    expected: 2,
    instances: [instance(fresh.instanceId, 'running'), instance('i-lost', 'running'), instance('i-gone', 'terminated')],
  });
  expect(decision).toEqual({ done: false, reason: '1 of 2 new nodes are Ready, not joined: i-lost' });
});

describe('nodes that an old pool gets again', () => {
  const kept = aNode('kept', { pool: 'web' });
  const again = aNode('again', { pool: 'web' });
  const replacement = aNode('new', { pool: 'web-1-34' });

  function decideAgain(nodes: readonly NodeFacts[], registered: readonly NodeFacts[], expected = 1) {
    const targets = registered.map((node) => aTarget(node, { state: 'healthy' }));
    return decideNodesRegistered({
      facts: anObservation({ nodes, services: [aService('web', [], { externalTrafficPolicy: 'Cluster' })] }, [
        aGroup('web', [], { targets }),
      ]),
      policy: upgrading,
      expected,
      besides: [kept.instanceId],
      instances: [kept, again].map(({ instanceId, zone }) => ({ instanceId, zone, state: 'running' as const })),
    });
  }

  test('are waited for, and the nodes that stayed do not count', () => {
    expect(decideAgain([kept, replacement], [kept, replacement])).toMatchObject({
      done: false,
      reason: `0 of 1 new nodes of web are Ready, not joined: ${again.instanceId}`,
    });
    const all = [kept, again, replacement];
    expect(decideAgain(all, all)).toEqual({ done: true, reason: '1 new nodes of web are Ready and registered' });
  });

  test.each([
    ['new nodes', [replacement, again]],
    ['nodes that stayed', [kept, again]],
  ])('have to be registered where %s are', (_, nodes) => {
    expect(decideAgain(nodes, nodes.slice(0, 1))).toMatchObject({
      done: false,
      reason: 'k8s-web has not registered again (not registered)',
    });
  });

  test('need no load balancer that has neither', () => {
    expect(decideAgain([kept, again, replacement], []).done).toBe(true);
  });
});
