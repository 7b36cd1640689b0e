import { describe, expect, test } from 'vitest';
import { nextStepOut, type StepOutQuestion } from '../../../core/guard/next-step-out.ts';
import type { NodeFacts } from '../../../core/model/node.ts';
import { aGroup, aLook, aNode, aPod, aService, aServicePlan, aTarget, refOf } from '../support/facts.ts';

const nodes = [aNode('n1'), aNode('n2'), aNode('n3', { zone: 'b' }), aNode('n4', { zone: 'b' })];
const pods = nodes.map((node, index) => aPod(`web-${index + 1}`, node.name));

function ask(changes: Partial<StepOutQuestion> = {}): ReturnType<typeof nextStepOut> {
  return nextStepOut({
    facts: aLook({ nodes, pods, services: [aService('web', pods)] }, [aGroup('web', nodes)]),
    services: [aServicePlan('web', { floor: { targets: 3 } })],
    inFlight: [],
    waiting: nodes.map(refOf),
    maxInFlight: 10,
    enabled: true,
    ...changes,
  });
}

function lookWith(changes: { node?: string; with: Partial<NodeFacts> }) {
  const changed = nodes.map((node) => (node.name === changes.node ? { ...node, ...changes.with } : node));
  return aLook({ nodes: changed, pods, services: [aService('web', pods)] }, [aGroup('web', nodes)]);
}

describe('the floor of serving targets', () => {
  test('lets the first waiting node go while the floor holds', () => {
    const answer = ask();
    expect(answer.node?.name).toBe('n1');
    expect(answer.reason).toContain('default/web keeps 3 of 4 serving targets, floor 3');
  });

  test('counts a node in flight as out even while the facts still show it serving', () => {
    const answer = ask({ inFlight: [refOf(aNode('n1'))] });
    expect(answer.node).toBeUndefined();
    expect(answer.blockedBy).toEqual({ node: 'n2', limit: 'targets', service: 'default/web', needs: 3, has: 3 });
    expect(answer.reason).toBe('n2 waits: default/web has 3 serving targets and must keep 3 (test)');
  });

  test.each([
    ['excluded from load balancers by anybody', { excluded: true }],
    ['not Ready', { ready: false }],
  ])('does not count a node that is %s', (_, change) => {
    const waiting = [refOf(aNode('n2'))];
    expect(ask({ facts: lookWith({ node: 'n4', with: change }), waiting }).node).toBeUndefined();
  });

  test('does not count a node that somebody else has cordoned, unless it waits for its own turn', () => {
    const facts = lookWith({ node: 'n4', with: { cordoned: true, pool: 'other' } });
    expect(ask({ facts, waiting: [refOf(aNode('n1'))] }).node).toBeUndefined();
    expect(ask({ facts }).node?.name).toBe('n1');
  });

  test('takes the other nodes of the pool that waits for those that wait too, named or not', () => {
    const facts = lookWith({ node: 'n4', with: { cordoned: true } });
    expect(ask({ facts, waiting: [refOf(aNode('n1'))] }).node?.name).toBe('n1');
  });

  test('goes on counting nodes that we have cordoned ourselves', () => {
    const facts = lookWith({ node: 'n4', with: { cordoned: true, marks: { cordonedBy: 'run' } } });
    expect(ask({ facts, waiting: [refOf(aNode('n1'))] }).node?.name).toBe('n1');
  });

  test.each(['initial', 'unhealthy', 'draining', 'unused', 'unavailable'] as const)(
    'does not count a target that is %s',
    (state) => {
      const targets = nodes.map((node) => aTarget(node, node.name === 'n4' ? { state } : {}));
      const facts = aLook({ nodes, pods, services: [aService('web', pods)] }, [aGroup('web', nodes, { targets })]);
      expect(ask({ facts, waiting: [refOf(aNode('n1'))] }).node).toBeUndefined();
    },
  );

  test('counts a node only when it is healthy in every target group of the Service', () => {
    const second = aGroup('web', nodes, { id: 'arn:web2', targets: nodes.slice(0, 3).map((node) => aTarget(node)) });
    const facts = aLook({ nodes, pods, services: [aService('web', pods)] }, [aGroup('web', nodes), second]);
    expect(ask({ facts, waiting: [refOf(aNode('n1'))] }).node).toBeUndefined();
  });

  test('needs a ready endpoint on the node under policy Local, but not under Cluster', () => {
    const fewer = pods.slice(0, 3);
    const services = [aService('web', fewer)];
    const facts = aLook({ nodes, pods: fewer, services }, [aGroup('web', nodes)]);
    expect(ask({ facts }).node?.name).toBe('n4');
    expect(ask({ facts, waiting: [refOf(aNode('n1'))] }).node).toBeUndefined();
    const cluster = [aServicePlan('web', { externalTrafficPolicy: 'Cluster', floor: { targets: 3 } })];
    expect(ask({ facts, services: cluster, waiting: [refOf(aNode('n1'))] }).node?.name).toBe('n1');
  });

  test('does not take a terminating endpoint for a ready one', () => {
    const service = aService('web', pods);
    const endpoints = service.endpoints.map((one) => (one.node === 'n4' ? { ...one, terminating: true } : one));
    const facts = aLook({ nodes, pods, services: [{ ...service, endpoints }] }, [aGroup('web', nodes)]);
    expect(ask({ facts, waiting: [refOf(aNode('n1'))] }).node).toBeUndefined();
  });

  test('never holds a node back for a Service that it does not serve', () => {
    const facts = lookWith({ node: 'n1', with: { ready: false } });
    const services = [aServicePlan('web', { floor: { targets: 4 } })];
    expect(ask({ facts, services }).node?.name).toBe('n1');
  });
});

describe('the floor of a zone', () => {
  const services = [aServicePlan('web', { floor: { targets: 1, perZone: { a: 1, b: 1 } } })];

  test('keeps a serving target in every zone that has a floor', () => {
    const answer = ask({ services, inFlight: [refOf(aNode('n1'))], waiting: [refOf(aNode('n2'))] });
    expect(answer.blockedBy).toEqual({
      node: 'n2',
      limit: 'zone',
      zone: 'a',
      service: 'default/web',
      needs: 1,
      has: 1,
    });
    expect(answer.reason).toContain('has 1 serving target in a and must keep 1');
  });

  test('passes over a blocked node and takes one of another zone', () => {
    expect(ask({ services, inFlight: [refOf(aNode('n1'))] }).node?.name).toBe('n3');
  });
});

describe('the floor of endpoints', () => {
  const local = [aServicePlan('web', { floor: { endpoints: 3 } })];

  test('under Local, a node takes its endpoints with it', () => {
    expect(ask({ services: local }).node?.name).toBe('n1');
    const answer = ask({ services: local, inFlight: [refOf(aNode('n1'))] });
    expect(answer.blockedBy).toMatchObject({ limit: 'endpoints', needs: 3, has: 3 });
    expect(answer.reason).toBe('n2 waits: default/web has 3 ready endpoints and must keep 3 (test)');
  });

  test('under Cluster, nodes take no endpoint with them, because eviction asks the budget pod by pod', () => {
    const demanding = [aServicePlan('web', { externalTrafficPolicy: 'Cluster', floor: { endpoints: 4 } })];
    expect(ask({ services: demanding }).node?.name).toBe('n1');
    expect(ask({ services: demanding, inFlight: [refOf(aNode('n1'))] }).node?.name).toBe('n2');
  });
});

describe('the window', () => {
  test('never holds more nodes than the policy allows', () => {
    const answer = ask({ maxInFlight: 1, inFlight: [refOf(aNode('gone'))] });
    expect(answer.blockedBy).toEqual({ node: 'n1', limit: 'in-flight', needs: 1, has: 1 });
    expect(answer.reason).toBe('n1 waits: 1 node on the way out, at most 1 may be');
  });

  test('is without a floor only when the guard is switched off', () => {
    const answer = ask({ enabled: false, inFlight: nodes.slice(0, 3).map(refOf) });
    expect(answer.node?.name).toBe('n4');
    expect(answer.reason).toContain('switched off');
  });

  test('ends when nobody waits', () => {
    expect(ask({ waiting: [] })).toEqual({ node: undefined, reason: 'no node waits to step out' });
  });

  test('lets a node go that has died meanwhile', () => {
    expect(ask({ waiting: [refOf(aNode('dead'))] }).node?.name).toBe('dead');
  });
});
