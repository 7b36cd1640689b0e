import { describe, expect, test } from 'vitest';
import { countBudgets } from '../../../core/guard/counts.ts';
import { openGuard } from '../../../core/guard/guard.ts';
import { aBudget, aGroup, aNode, anObservation, aPod, aPolicy, aService, aTarget } from '../support/facts.ts';
import type { NodeRef, PodFacts, ServiceFacts } from '../support/model.ts';

const nodes = [aNode('n1'), aNode('n2'), aNode('n3'), aNode('n4')];
const [web1, web2] = [aPod('web-1', 'n1'), aPod('web-2', 'n2')];
const [api1, api2] = [aPod('api-1', 'n3'), aPod('api-2', 'n4')];
const pods = [web1, web2, api1, api2];

/** Two Services of policy Local, and a budget that requires a number of these pods. */
function state(demands: number, covered: readonly PodFacts[] = pods, services?: readonly ServiceFacts[]) {
  const both = services ?? [aService('web', covered), aService('api', covered)];
  const cluster = { nodes, pods: covered, services: both, budgets: [aBudget('both', covered, demands)] };
  return anObservation(
    cluster,
    both.map((service) => aGroup(service.key.replace('default/', ''), nodes, { targets: answersOf(service) })),
  );
}

/** Every node is registered; those that host a ready endpoint answer the health check. */
function answersOf(service: ServiceFacts) {
  const hosts = new Set(service.endpoints.map(({ node }) => node));
  return nodes.map((node) => aTarget(node, { state: hosts.has(node.name) ? 'healthy' : 'unhealthy' }));
}

const count = (facts: ReturnType<typeof state>, out: readonly string[] = []) =>
  countBudgets(facts, new Set(out), [])[0];

/** The nodes that may be excluded, one after another. */
function leaving(facts: ReturnType<typeof state>): readonly string[] {
  const policy = aPolicy();
  const gone: NodeRef[] = [];
  for (const node of nodes) {
    const guard = openGuard({ facts, policy, baselines: [], inFlight: gone, waiting: nodes });
    if (guard.findBlock(node) === undefined) gone.push(node);
  }
  return gone.map(({ name }) => name);
}

describe('a budget over the pods of two Services', () => {
  test('counts each pod once, and allows what all of them together can spare', () => {
    expect(count(state(2))).toMatchObject({ name: 'default/both', needs: 2, has: 4 });
    expect(leaving(state(2))).toEqual(['n1', 'n2']);
    expect(leaving(state(3))).toEqual(['n1']);
  });

  test('counts a pod once that both Services select', () => {
    const shared = [aService('web', [web1, web2]), aService('api', [web1, web2], { selector: { app: 'web' } })];
    const facts = state(1, [web1, web2], shared);
    expect(count(facts)).toMatchObject({ has: 2 });
    expect(leaving(facts)).toEqual(['n1', 'n3', 'n4']);
    expect(leaving(state(2, [web1, web2], shared))).toEqual(['n3', 'n4']);
  });

  test('counts pods behind no load balancer as they are, but blocks no node for them', () => {
    const inside = aService('api', pods, { type: 'ClusterIP', externalTrafficPolicy: 'Cluster' });
    const facts = state(4, pods, [aService('web', pods), inside]);
    const unbalanced = { ...facts, targetGroups: facts.targetGroups.filter(({ name }) => name === 'k8s-web') };
    expect(count(unbalanced)).toMatchObject({ has: 4 });
    expect(leaving(unbalanced)).toEqual(['n3', 'n4']);
  });
});

describe('a pod is not counted', () => {
  const changed = (change: Partial<PodFacts>) => [{ ...web1, ...change }, web2, api1, api2];

  test.each<[string, Partial<PodFacts>, boolean]>([
    ['when it is not Ready, and its node may bring it back', { ready: false }, true],
    ['when it is terminating', { terminating: true }, false],
    [
      'when it is removed from its endpoints',
      { endpointsRemoved: { by: 'run', originalLabels: { app: 'web' } } },
      false,
    ],
    ['when it has no node yet', { node: undefined, ready: false }, false],
  ])('%s', (_, change, hosts) => {
    const counted = count(state(3, changed(change)));
    expect(counted?.has).toBe(3);
    expect(counted?.hosts.has('n1')).toBe(hosts);
    expect(counted?.takenWith.get('n1')).toBeUndefined();
  });

  test('when its node is in progress', () => {
    expect(count(state(3), ['n1'])).toMatchObject({ has: 3 });
  });

  test('when no load balancer reaches its node', () => {
    const facts = state(3);
    const targetGroups = [aGroup('web', nodes.slice(1)), aGroup('api', nodes)];
    expect(count({ ...facts, targetGroups })).toMatchObject({ has: 3 });
  });

  test('when it is not a ready endpoint of one of its Services', () => {
    const service = aService('web', pods);
    const endpoints = service.endpoints.map((one) => (one.node === 'n1' ? { ...one, ready: false } : one));
    const services = [{ ...service, endpoints }, aService('api', pods)];
    expect(count(state(3, pods, services))).toMatchObject({ has: 3 });
  });
});

test('the guard ignores a budget that covers nothing behind a load balancer with policy Local', () => {
  const cluster = [aService('web', pods, { externalTrafficPolicy: 'Cluster' })];
  expect(countBudgets(state(4, pods, cluster), new Set(), [])).toEqual([]);
});

describe('pods where load balancers have never sent anything', () => {
  const aside = [aNode('n5', { zone: 'uncovered' }), aNode('n6', { zone: 'uncovered' })];
  const [web5, web6] = [aPod('web-5', 'n5'), aPod('web-6', 'n6')];

  /** What is counted of a budget over these pods, with this many in the zone that was not covered when the run began. */
  function countWith(covered: readonly PodFacts[], before: number) {
    const web = aService('web', covered);
    const targets = [...answersOf(web), ...aside.map((node) => aTarget(node, { state: 'unused' }))];
    const cluster = {
      nodes: [...nodes, ...aside],
      pods: covered,
      services: [web],
      budgets: [aBudget('web', covered, 3)],
    };
    const facts = anObservation(cluster, [aGroup('web', [...nodes, ...aside], { targets })]);
    const unreached = { [`${aside[0]?.pool}/uncovered`]: before };
    const baseline = { service: 'default/web', targets: 2, endpoints: 2, missing: 2, zones: [], unreached };
    return countBudgets(facts, new Set(), before === 0 ? [] : [baseline])[0];
  }

  test('count as they did before the run, and block no node', () => {
    const counted = countWith([web1, web2, web5, web6], 2);
    expect(counted?.has).toBe(4);
    expect([...(counted?.hosts ?? [])]).toEqual(['n1', 'n2']);
  });

  test('do not count where there were none before', () => {
    expect(countWith([web1, web2, web5, web6], 1)?.has).toBe(3);
    expect(countWith([web1, web2, web5, web6], 0)?.has).toBe(2);
  });
});
