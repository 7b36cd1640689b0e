import type { V1Ingress } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { ingressBackends, withIngresses } from '../../../adapters/kubernetes/map-ingress.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { aNode, aService } from '../../core/support/facts.ts';

const made = { 'ingress.kubernetes.io/url-map': 'k8s2-um-shop' };
/** As ingress-gce writes them: two with instance groups, one with groups of pods. */
const backends = JSON.stringify({
  'k8s-be-30080--5d10aaf301234567': 'HEALTHY',
  'k8s-be-30081--5d10aaf301234567': 'UNHEALTHY',
  'k8s1-5d10aaf3-default-api-80-08a4d9c0': 'Unknown',
});
const named = [
  'k8s-be-30080--5d10aaf301234567',
  'k8s-be-30081--5d10aaf301234567',
  'k8s1-5d10aaf3-default-api-80-08a4d9c0',
];
const pathTo = (name: string) => ({ path: '/', pathType: 'Prefix', backend: { service: { name } } });

/** An Ingress for which ingress-gce has made a load balancer, unless something else is said. */
function anIngress(
  annotations: Readonly<Record<string, string>> = made,
  ingressClassName?: string,
  name = 'shop',
): V1Ingress {
  return {
    metadata: { namespace: 'default', name, annotations },
    spec: {
      defaultBackend: { service: { name: 'web' } },
      rules: [{ host: 'a', http: { paths: [pathTo('web'), pathTo('api')] } }, { host: 'b' }],
      ...(ingressClassName !== undefined && { ingressClassName }),
    },
  };
}

test('a Service is behind an Ingress by its paths and as the default backend, once', () => {
  const by = 'Ingress default/shop';
  expect(ingressBackends(anIngress())).toEqual([
    { service: 'default/web', by, groups: [] },
    { service: 'default/api', by, groups: [] },
  ]);
  expect(ingressBackends(anIngress({ ...made, 'kubernetes.io/ingress.class': 'gce' }))).toHaveLength(2);
});

test.each([
  ['all its backend services', backends, named],
  ['none while it has not written them', undefined, []],
  ['none where that is no list', '"Unknown"', []],
  ['none where nobody can read it', '{', []],
])('an Ingress names %s', (_, told, groups) => {
  const ingress = anIngress({ ...made, ...(told !== undefined && { 'ingress.kubernetes.io/backends': told }) });
  expect(ingressBackends(ingress).map((one) => one.groups)).toEqual([groups, groups]);
});

test.each([
  ['of another class', anIngress({ ...made, 'kubernetes.io/ingress.class': 'nginx' })],
  [
    'of a class of GKE whose backends are always pods',
    anIngress({ ...made, 'kubernetes.io/ingress.class': 'gce-internal' }),
  ],
  ['with the name of a class in its spec', anIngress(made, 'nginx')],
  ['without a load balancer', anIngress({})],
])('an Ingress %s has none', (_, ingress) => {
  expect(ingressBackends(ingress)).toEqual([]);
});

describe('a Service behind one', () => {
  const google = [aNode('n1', { providerId: 'gce://shop/europe-west1-b/n1' })];
  const amazon = [aNode('n1', { providerId: 'aws:///eu-west-1a/i-1' })];
  const podGroups = { names: ['web'], zones: [], zonesNeedCandidate: true };
  const withBackends = { ...made, 'ingress.kubernetes.io/backends': backends };
  const told = (changes: Partial<ServiceFacts>, nodes = google, ingresses = [anIngress(withBackends)]) => {
    const services = [aService('web', [], changes), aService('other', [])];
    const [web, other] = withIngresses(services, nodes, ingresses.flatMap(ingressBackends));
    expect(other).toBe(services[1]);
    return web?.nodePortBalancers?.map(({ by, groups }) => [by, ...groups].join(' '));
  };
  const shop = 'Ingress default/shop';

  test('has the backend services of its own ports, whatever its type', () => {
    expect(told({ type: 'NodePort', nodePorts: [30_081] })).toEqual([`${shop} ${named[1]}`]);
    expect(told({ type: 'LoadBalancer', nodePorts: [30_080, 30_081] })).toEqual([`${shop} ${named[0]} ${named[1]}`]);
    expect(told({ type: 'NodePort', nodePorts: [3_008] })).toEqual([shop]);
  });

  test('has them beside groups of pods for other ports', () => {
    expect(told({ type: 'NodePort', nodePorts: [30_080, 30_090], podGroups })).toEqual([`${shop} ${named[0]}`]);
  });

  test('has a load balancer without groups while the Ingress names none', () => {
    expect(told({ type: 'NodePort' }, google, [anIngress()])).toEqual([shop]);
    expect(told({ type: 'LoadBalancer' }, google, [anIngress()])).toEqual([shop]);
  });

  test('has that of every Ingress that sends to it', () => {
    const both = [anIngress(withBackends), anIngress(made, undefined, 'second')];
    expect(told({ type: 'NodePort', nodePorts: [30_080] }, google, both)).toEqual([
      `${shop} ${named[0]}`,
      'Ingress default/second',
    ]);
  });

  test('has none where its pods are the targets, without a port of the nodes, and on another cloud', () => {
    expect(told({ type: 'NodePort', nodePorts: [30_090], podGroups })).toBeUndefined();
    expect(told({ type: 'ClusterIP', nodePorts: [] })).toBeUndefined();
    expect(told({ type: 'NodePort' }, amazon)).toBeUndefined();
  });
});

test('a legacy cluster without an ID has backend services without one', () => {
  const google = [aNode('n1', { providerId: 'gce://shop/europe-west1-b/n1' })];
  const legacy = anIngress({ ...made, 'ingress.kubernetes.io/backends': '{"k8s-be-30080":"HEALTHY"}' });
  const [web] = withIngresses([aService('web', [], { type: 'NodePort' })], google, ingressBackends(legacy));
  expect(web?.nodePortBalancers?.[0]?.groups).toEqual(['k8s-be-30080']);
});
