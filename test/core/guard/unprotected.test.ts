import { describe, expect, test } from 'vitest';
import { findLostProtection } from '../../../core/guard/unprotected.ts';
import {
  aBaseline,
  aGroup,
  aNode,
  anObservation,
  anUnsupported,
  aPolicy,
  aService,
  onePodOnEach,
  withGuard,
} from '../support/facts.ts';
import type { ServiceFacts } from '../support/model.ts';

const nodes = [aNode('n1'), aNode('n2')];
const pods = onePodOnEach('web', nodes);
const services = [aService('web', pods)];
const group = aGroup('web', nodes);
const lost = anObservation({ nodes, pods, services }, [], [anUnsupported('web')]);
const question = { facts: lost, baselines: [aBaseline('web', 2)], nodes, policy: aPolicy() };
const wayOut = '. If it may lose connections: nodeferry accept-unprotected c/web default/web --reason <why>';
const told =
  "default/web can't be protected, and it has endpoints on the nodes: no load balancer has the address web.elb.example" +
  wayOut;

describe('protection that is lost during a run', () => {
  test('is reported with the Service, how it concerns the nodes, and why', () => {
    expect(findLostProtection(question)).toBe(told);
  });

  test.each([
    ['that is still observed in part', { facts: { ...lost, targetGroups: [group] } }],
    ['that came during the run', { baselines: [] }],
  ])('is reported for a Service %s', (_, change) => {
    expect(findLostProtection({ ...question, ...change })).toBe(told);
  });

  test.each([
    ['is accepted', { policy: aPolicy(withGuard({ acceptUnprotected: ['default/web'] })) }],
    ['does not pass through the nodes', { nodes: [aNode('n3')] }],
    ['is gone', { facts: { ...lost, cluster: { ...lost.cluster, services: [] } } }],
    ['is observed completely', { facts: { ...lost, unsupported: [], targetGroups: [group] } }],
    [
      'has no load balancer any more',
      { facts: anObservation({ nodes, pods, services: [aService('web', pods, { type: 'ClusterIP' })] }, []) },
    ],
    ['never had one that was observed', { facts: { ...lost, unsupported: [] }, baselines: [] }],
  ])('is not reported for a Service that %s', (_, change) => {
    expect(findLostProtection({ ...question, ...change })).toBeUndefined();
  });

  test('is reported when the load balancer of a Service that served is not observed any more, without a known reason', () => {
    expect(findLostProtection({ ...question, facts: { ...lost, unsupported: [] } })).toBe(
      "default/web can't be protected, and it has endpoints on the nodes: its status no longer names a load balancer" +
        wayOut,
    );
  });

  test('is reported for a load balancer of another object that is not observed, as long as there is one', () => {
    const ofIngress = (groups: readonly string[], change: Partial<ServiceFacts> = {}) => {
      const nodePortBalancers = [{ by: 'Ingress default/shop', groups, hint: '' }];
      return aService('web', pods, { type: 'NodePort', nodePortBalancers, ...change });
    };
    const foundFor = (service: ServiceFacts) =>
      findLostProtection({
        ...question,
        baselines: [],
        facts: anObservation({ nodes, pods, services: [service] }, [group]),
      });
    expect(foundFor(ofIngress([group.name]))).toBeUndefined();
    expect(foundFor(ofIngress([group.name, 'k8s-second']))).toContain(
      'through nodes of k8s-second, which was not found',
    );
    expect(foundFor(ofIngress([]))).toContain('Ingress default/shop sends to it through nodes, which is not seen');
    expect(foundFor(ofIngress([], { endpoints: [] }))).toBeUndefined();
  });

  test('is not reported without nodes', () => {
    const passing = [aService('web', [], { externalTrafficPolicy: 'Cluster' })];
    const facts = anObservation({ nodes, services: passing }, [], [anUnsupported('web')]);
    expect(findLostProtection({ ...question, facts, nodes: [] })).toBeUndefined();
    expect(findLostProtection({ ...question, facts })).toContain('policy Cluster');
  });
});
