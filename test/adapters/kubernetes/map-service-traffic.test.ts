import type { V1Service, V1ServicePort } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { serviceFacts as factsOf } from '../../../adapters/kubernetes/map-service.ts';
import { localService } from './objects.ts';

const serviceFacts = (service: V1Service) => factsOf(service, () => undefined);

const prefix = 'service.beta.kubernetes.io/aws-load-balancer';
const withSpec = (spec: Partial<NonNullable<V1Service['spec']>>) =>
  serviceFacts({ ...localService, spec: { ...localService.spec, ...spec } });
const withPort = (port: Partial<V1ServicePort>) => withSpec({ ports: [{ port: 80, ...port }] });

test('keeps clients at a pod, and serves UDP, as its spec says', () => {
  expect(withSpec({ sessionAffinity: 'ClientIP' })?.clientAffinity).toBe(true);
  expect(withSpec({ sessionAffinity: 'None' })).not.toHaveProperty('clientAffinity');
  expect(withPort({ protocol: 'UDP' })?.usesUdp).toBe(true);
  expect(withPort({ protocol: 'TCP' })).not.toHaveProperty('usesUdp');
});

test.each([
  [{ appProtocol: 'kubernetes.io/h2c' }, 'h2c'],
  [{ appProtocol: 'kubernetes.io/wss' }, 'wss'],
  [{ appProtocol: 'mqtt' }, 'mqtt'],
  [{ appProtocol: 'http', name: 'grpc' }, undefined],
  [{ name: 'grpc' }, 'grpc'],
  [{ name: 'grpc-web' }, 'grpc-web'],
  [{ name: 'ws-chat' }, 'ws'],
  [{ name: 'wsdl' }, undefined],
  [{ name: 'http' }, undefined],
  [{}, undefined],
])('a port %j speaks %s', (port, protocol) => {
  expect(withPort(port)?.longLived).toBe(protocol);
});

test.each([
  ['role=edge', { role: 'edge' }],
  ['role=edge, zone=a,gpu', { role: 'edge', zone: 'a', gpu: '' }],
  ['', undefined],
])('the annotation %j takes nodes with %j', (text, labels) => {
  const metadata = { ...localService.metadata, annotations: { [`${prefix}-target-node-labels`]: text } };
  expect(serviceFacts({ ...localService, metadata })?.targetNodeLabels).toEqual(labels);
});

const classic = 'a1b2-1234.eu-west-1.elb.amazonaws.com';

test.each([
  ['a Classic Load Balancer', {}, classic, true],
  ['one that drains', { [`${prefix}-connection-draining-enabled`]: 'true' }, classic, undefined],
  ['one that does not', { [`${prefix}-connection-draining-enabled`]: 'false' }, classic, true],
  ['another type', { [`${prefix}-type`]: 'external' }, classic, undefined],
  ['the address of a Network Load Balancer', {}, 'web-1234.elb.eu-west-1.amazonaws.com', undefined],
  ['another cloud', {}, '203.0.113.1', undefined],
])('%s cuts connections: %j %s: %s', (_, annotations, hostname, cuts) => {
  const status = { loadBalancer: { ingress: [{ hostname }] } };
  const service = { ...localService, metadata: { ...localService.metadata, annotations }, status };
  expect(serviceFacts(service)?.cutsConnections).toBe(cuts);
  const ofAnother = { ...service, spec: { ...localService.spec, loadBalancerClass: 'service.k8s.aws/nlb' } };
  expect(serviceFacts(ofAnother)?.cutsConnections).toBeUndefined();
});
