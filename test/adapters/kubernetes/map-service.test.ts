import type { V1Service } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';

import { podGroupsOfGke } from '../../../adapters/gcp/load-balancers/pod-groups-annotation.ts';
import { clusterFacts } from '../../../adapters/kubernetes/map.ts';
import { serviceFacts as factsOf, mergeEndpoints, sliceFacts } from '../../../adapters/kubernetes/map-service.ts';
import { deploymentPod, localService, nothing, slice } from './objects.ts';

const serviceFacts = (service: V1Service) => factsOf(service, podGroupsOfGke);
const ready = { ready: true, serving: true, terminating: false };

describe('a Service', () => {
  it('tells how it is reached', () => {
    expect(serviceFacts(localService)).toEqual({
      key: 'shop/web',
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      selector: { app: 'web' },
      healthCheckNodePort: 31234,
      nodePorts: [30080, 30443],
      hostnames: ['web-1234.elb.eu-west-1.amazonaws.com'],
      internalTrafficPolicy: 'Cluster',
      publishNotReadyAddresses: false,
    });
  });

  it.each([
    [
      'groups of its pods',
      '{"network_endpoint_groups":{"80":"neg-b","81":"neg-a"},"zones":["z2","z1"]}',
      ['neg-a', 'neg-b'],
    ],
    ['a group of nodes', '{"network_endpoint_groups":{"0":"neg-n"},"zones":["z1"]}', undefined],
    ['nothing that can be read', '{"network', undefined],
  ])('tells of groups of pods where %s are written on it', (_, status, names) => {
    const annotations = { 'cloud.google.com/neg-status': status };
    const found = serviceFacts({ ...localService, metadata: { ...localService.metadata, annotations } });
    expect(found?.podGroups).toEqual(names && { names, zones: ['z1', 'z2'], zonesNeedCandidate: true });
  });

  it('counts with ClusterIP too, and takes an address where there is no hostname', () => {
    const { key, type } = serviceFacts({ ...localService, spec: { selector: { app: 'web' } } }) ?? {};
    expect({ key, type }).toEqual({ key: 'shop/web', type: 'ClusterIP' });
    const status = { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } };
    expect(serviceFacts({ ...localService, status })?.hostnames).toEqual(['203.0.113.7']);
  });

  it('is left out as an external name', () => {
    expect(serviceFacts({ ...localService, spec: { ...localService.spec, type: 'ExternalName' } })).toBeUndefined();
  });

  it('without a selector has the endpoints that somebody wrote', () => {
    const { selector: _selector, ...spec } = localService.spec;
    const written = { addresses: ['10.0.1.9'], nodeName: 'n1', conditions: ready };
    const facts = clusterFacts({
      ...nothing,
      services: [serviceFacts({ ...localService, spec }) ?? never()],
      endpointSlices: [sliceFacts({ ...slice('by-hand', 'IPv4', ready), endpoints: [written] }) ?? never()],
    });
    expect(facts.services).toMatchObject([
      { key: 'shop/web', selector: {}, endpoints: [{ podUid: undefined, node: 'n1', ...ready }] },
    ]);
  });

  it('has the endpoints of all its slices, a pod in two of them once and as the least available', () => {
    const slices = [
      slice('web-v4', 'IPv4', ready),
      slice('web-v6', 'IPv6', { ...ready, ready: false, terminating: true }),
      slice('web-other', 'IPv4', ready, 'another-pod'),
    ].flatMap((object) => sliceFacts(object) ?? []);
    expect(mergeEndpoints(slices)).toMatchObject([
      { podUid: deploymentPod.metadata.uid, ready: false, serving: true, terminating: true },
      { podUid: 'another-pod', ready: true, serving: true, terminating: false },
    ]);
  });

  it('takes conditions that are not set for ready, and serving for what ready says', () => {
    const conditions = (given: object) => mergeEndpoints([sliceFacts(slice('s', 'IPv4', given)) ?? never()])[0];
    expect(conditions({})).toMatchObject(ready);
    expect(conditions({ ready: false })).toMatchObject({ ready: false, serving: false, terminating: false });
  });

  it('has no part in slices that name no Service', () => {
    expect(sliceFacts({ ...slice('loose', 'IPv4', ready), metadata: { name: 'loose' } })).toBeUndefined();
  });
});

function never(): never {
  throw new Error('The object was left out.');
}
