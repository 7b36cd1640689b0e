/** What the API server tells of pods that are targets of load balancers. */
import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { podFacts } from '../../../adapters/kubernetes/map-pod.ts';
import {
  boundGroupOf,
  nodeBindingOf,
  withBoundGroups,
  withNodeBindings,
} from '../../../adapters/kubernetes/map-pod-groups.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { aService } from '../../core/support/facts.ts';

const arn = 'arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/k8s-shop-web/1';
const binding = (changes: object = {}) =>
  boundGroupOf({
    metadata: { namespace: 'default' },
    spec: { targetGroupARN: arn, targetType: 'ip', serviceRef: { name: 'web' }, ...changes },
  });

test('a binding of pods names its Service and its target group; without a type it may be one', () => {
  const told = [{ service: 'default/web', name: arn, by: 'TargetGroupBinding default/', inOtherAccount: false }];
  expect(binding()).toEqual(told);
  expect(
    boundGroupOf({ metadata: { namespace: 'default' }, spec: { targetGroupARN: arn, serviceRef: { name: 'web' } } }),
  ).toEqual(told);
  expect(binding({ targetType: 'instance' })).toEqual([]);
  expect(binding({ targetGroupARN: '' })).toEqual([]);
});

test('a Service has the groups that are bound to it, each once, and no zones in which it needs a candidate node', () => {
  const web = aService('web', []);
  const api = aService('api', []);
  const [first, second] = withBoundGroups([web, api], [...binding(), ...binding()]);
  expect(first?.podGroups).toEqual({ names: [arn], zones: [], zonesNeedCandidate: false });
  expect(second).toBe(api);
});

test('a binding by the role of another account names its object, since nobody here can read its group', () => {
  const metadata = { namespace: 'default', name: 'peered' };
  const role = { iamRoleArnToAssume: 'arn:aws:iam::2:role/targets', serviceRef: { name: 'web' } };
  const theirs = [
    boundGroupOf({ metadata, spec: { ...role, targetType: 'ip', targetGroupARN: arn } }),
    boundGroupOf({ metadata, spec: { ...role, targetGroupARN: '' } }),
  ];
  for (const one of theirs)
    expect(withBoundGroups([aService('web', [])], [...binding(), ...one])[0]?.podGroups).toEqual({
      names: [arn],
      inOtherAccounts: ['TargetGroupBinding default/peered'],
      zones: [],
      zonesNeedCandidate: false,
    });
  expect(boundGroupOf({ metadata, spec: { ...role, targetType: 'instance', targetGroupARN: arn } })).toEqual([]);
});

test('a Service that names its groups itself keeps these', () => {
  const podGroups = { names: ['k8s1-web'], zones: ['a'], zonesNeedCandidate: true };
  expect(withBoundGroups([aService('web', [], { podGroups })], binding())[0]?.podGroups).toBe(podGroups);
});

describe('a Service to whose nodes a binding sends', () => {
  const bound = (spec: { readonly targetType?: string }, labels: Readonly<Record<string, string>> = {}) =>
    nodeBindingOf({
      metadata: { namespace: 'default', name: 'tgb', labels },
      spec: { ...spec, serviceRef: { name: 'web' } },
    });
  const told = (type: ServiceFacts['type'], bindings = bound({ targetType: 'instance' })) =>
    withNodeBindings([aService('web', [], { type }), aService('api', [], { type })], bindings).map(
      ({ nodePortBalancers }) => nodePortBalancers?.map(({ by, groups }) => [by, ...groups].join(' ')).join(),
    );
  const labelled = (prefix: string, name: string, namespace = 'default') =>
    bound(
      { targetType: 'instance' },
      { [`${prefix}.k8s.aws/stack-namespace`]: namespace, [`${prefix}.k8s.aws/stack-name`]: name },
    );

  test.each(['NodePort', 'LoadBalancer'] as const)('has its load balancer, which names no groups (%s)', (type) => {
    expect(told(type)).toEqual(['TargetGroupBinding default/tgb', undefined]);
    expect(told(type, labelled('ingress', 'web'))).toEqual(['TargetGroupBinding default/tgb', undefined]);
    expect(told(type, labelled('service', 'other'))).toEqual(['TargetGroupBinding default/tgb', undefined]);
    expect(told(type, labelled('service', 'web', 'other'))).toEqual(['TargetGroupBinding default/tgb', undefined]);
    expect(told(type, bound({ targetType: 'ip' }))).toEqual([undefined, undefined]);
    expect(told(type, bound({}))).toEqual([undefined, undefined]);
  });

  test('does not have its own load balancer twice, which is found by its address', () => {
    expect(told('LoadBalancer', labelled('service', 'web'))).toEqual([undefined, undefined]);
    expect(told('NodePort', labelled('service', 'web'))).toEqual(['TargetGroupBinding default/tgb', undefined]);
  });

  test('has none without a port on each node', () => {
    expect(told('ClusterIP')).toEqual([undefined, undefined]);
  });
});

test.each(['Succeeded', 'Failed'])('a pod that has %s has no address any more: another may have it', (phase) => {
  const pod = { spec: { containers: [] }, status: { phase, podIPs: [{ ip: '10.0.0.7' }] } };
  expect(podFacts(pod as unknown as V1Pod).ips).toBeUndefined();
});

test('a pod has all its addresses, and the first of its readiness gates that is not True', () => {
  const pod = (conditions: readonly object[], ips: readonly string[] = []) =>
    podFacts({
      spec: { containers: [], readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] },
      status: { podIPs: ips.map((ip) => ({ ip })), conditions },
    } as unknown as V1Pod);
  expect(pod([], ['10.0.0.7', 'fd00::7']).ips).toEqual(['10.0.0.7', 'fd00::7']);
  expect(pod([]).ips).toBeUndefined();
  expect(pod([{ type: 'a', status: 'True' }]).closedGate).toBe('b');
  expect(
    pod([
      { type: 'a', status: 'False' },
      { type: 'b', status: 'True' },
    ]).closedGate,
  ).toBe('a');
  expect(
    pod([
      { type: 'a', status: 'True' },
      { type: 'b', status: 'True' },
    ]).closedGate,
  ).toBeUndefined();
});
