import { describe, expect, test } from 'vitest';
import { findLostProtection } from '../../../core/guard/unprotected.ts';
import { aGroup, aLook, aNode, anUnsupported, aPod, aPolicy, aService, aServicePlan } from '../support/facts.ts';

const nodes = [aNode('n1'), aNode('n2')];
const pods = nodes.map((node, index) => aPod(`web-${index + 1}`, node.name));
const services = [aService('web', pods)];
const exchanged = aGroup('web', nodes, { id: 'arn:exchanged' });
const lost = aLook({ nodes, pods, services }, [], [anUnsupported('web')]);
const question = { facts: lost, services: [aServicePlan('web')], nodes, policy: aPolicy() };

describe('protection that is lost during a run', () => {
  test('is told with the Service, what it has to do with the nodes, and why', () => {
    expect(findLostProtection(question)).toBe(
      'default/web can no longer be protected, and it has endpoints on the nodes: no load balancer has the address web.elb.example',
    );
  });

  test.each([
    ['was not protected when the run began', { services: [aServicePlan('web', { targetGroups: [] })] }],
    ['is not in the plan', { services: [] }],
    ['is still seen as planned', { facts: { ...lost, targetGroups: [aGroup('web', nodes)] } }],
    ['is accepted', { policy: aPolicy({ guard: { ...aPolicy().guard, acceptUnprotected: ['default/web'] } }) }],
    ['does not run over the nodes', { nodes: [aNode('n3')] }],
    ['is gone', { facts: { ...lost, cluster: { ...lost.cluster, services: [] } } }],
    ['has other target groups now', { facts: { ...lost, unsupported: [], targetGroups: [exchanged] } }],
    [
      'has no load balancer any more',
      { facts: aLook({ nodes, pods, services: [aService('web', pods, { type: 'ClusterIP' })] }, []) },
    ],
  ])('is none of a Service that %s', (_, change) => {
    expect(findLostProtection({ ...question, ...change })).toBeUndefined();
  });

  test('is told when nothing is seen of a load balancer that was planned, though nobody says why', () => {
    expect(findLostProtection({ ...question, facts: { ...lost, unsupported: [] } })).toBe(
      'default/web can no longer be protected, and it has endpoints on the nodes: its status names no load balancer any more',
    );
  });

  test('is none as long as there are no nodes to ask for', () => {
    const passing = [aService('web', [], { externalTrafficPolicy: 'Cluster' })];
    const facts = aLook({ nodes, services: passing }, [], [anUnsupported('web')]);
    expect(findLostProtection({ ...question, facts, nodes: [] })).toBeUndefined();
    expect(findLostProtection({ ...question, facts })).toContain('policy Cluster');
  });
});
