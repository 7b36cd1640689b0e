import type { V1Ingress } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { ingressBackends, withIngresses } from '../../../adapters/kubernetes/map-ingress.ts';
import { aNode, aService } from '../../core/support/facts.ts';

const made = { 'ingress.kubernetes.io/url-map': 'k8s2-um-shop' };
const pathTo = (name: string) => ({ path: '/', pathType: 'Prefix', backend: { service: { name } } });

/** An Ingress for which ingress-gce has made a load balancer, unless something else is said. */
function anIngress(annotations: Readonly<Record<string, string>> = made, ingressClassName?: string): V1Ingress {
  return {
    metadata: { namespace: 'default', name: 'shop', annotations },
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
    { service: 'default/web', by },
    { service: 'default/api', by },
  ]);
  expect(ingressBackends(anIngress({ ...made, 'kubernetes.io/ingress.class': 'gce' }))).toHaveLength(2);
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
  const backends = ingressBackends(anIngress());
  const podGroups = { names: ['web'], zones: [], zonesNeedCandidate: true };
  const told = (changes: Parameters<typeof aService>[2], nodes = google) =>
    withIngresses([aService('web', [], changes), aService('other', [])], nodes, backends).map(
      ({ unobservedBalancer }) => unobservedBalancer?.by,
    );

  test('has a load balancer that nobody observes where its nodes are the targets', () => {
    expect(told({ type: 'NodePort' })).toEqual(['Ingress default/shop', undefined]);
    expect(told({ type: 'LoadBalancer' })).toEqual(['Ingress default/shop', undefined]);
  });

  test('has none where its pods are the targets, without a port of the nodes, and on another cloud', () => {
    expect(told({ type: 'NodePort', podGroups })[0]).toBeUndefined();
    expect(told({ type: 'ClusterIP' })[0]).toBeUndefined();
    expect(told({ type: 'NodePort' }, amazon)[0]).toBeUndefined();
  });
});
