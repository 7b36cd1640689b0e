import { describe, expect, test } from 'vitest';
import { nodeFacts } from '../../adapters/kubernetes/map-node.ts';
import { providerNodeLabels, providerOfNode, providerOfPool } from '../../wiring/cluster.ts';

const factsOf = (
  labels: Readonly<Record<string, string>>,
  providerID = 'gce://shop-prod/europe-west1-b/gke-prod-web-1',
) => nodeFacts({ metadata: { name: 'n', labels: { ...labels } }, spec: { providerID } }, providerNodeLabels);

describe('a node of GKE', () => {
  const gke = factsOf({ 'cloud.google.com/gke-nodepool': 'web', 'topology.kubernetes.io/zone': 'europe-west1-b' });

  test('has its pool, and the VM by the name by which groups and load balancers know it', () => {
    expect(gke).toMatchObject({ pool: 'web', instanceId: 'gke-prod-web-1', zone: 'europe-west1-b' });
    expect(gke).not.toHaveProperty('madeForOnePod');
  });

  test('is of provider gke', () => {
    expect(providerOfNode(gke)).toBe('gke');
  });
});

test('a node of EKS is of provider eks, and one without a pool of none', () => {
  expect(providerOfNode(factsOf({ 'eks.amazonaws.com/nodegroup': 'web' }))).toBe('eks');
  expect(providerOfNode(factsOf({}))).toBeUndefined();
});

test('a pool is of the provider of its nodes, or else of the cluster’s', () => {
  const [eks, gke] = [
    factsOf({ 'eks.amazonaws.com/nodegroup': 'a' }),
    factsOf({ 'cloud.google.com/gke-nodepool': 'b' }),
  ];
  expect(providerOfPool([eks, gke], 'b')).toBe('gke');
  expect(providerOfPool([factsOf({}), gke], 'gone')).toBe('gke');
  expect(providerOfPool([factsOf({})], 'web')).toBe('none');
  expect(providerOfPool([], 'web')).toBe('eks');
});
