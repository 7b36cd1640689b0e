import { expect, it, onTestFinished } from 'vitest';
import { openCluster } from '../../../wiring/cluster.ts';
import { useRealCluster } from './subject.ts';

const real = useRealCluster();

function openAs(user: 'admin' | 'nodeferry') {
  const cluster = openCluster({ kubeconfig: real.controlPlane.kubeconfig(user) });
  onTestFinished(() => cluster.close());
  return cluster;
}

it('says of which version the API server is', async () => {
  expect(await openAs('nodeferry').readVersion()).toMatch(/^v1\.\d+\.\d+/);
});

it('finds nothing that the deployed roles, or an administrator, lack', async () => {
  expect(await openAs('nodeferry').findMissingPermissions()).toEqual([]);
  expect(await openAs('admin').findMissingPermissions()).toEqual([]);
});

it('finds what is missing where roles are not bound', async () => {
  real.controlPlane.kubectl(['delete', 'rolebinding', '--namespace', 'nodeferry', 'nodeferry-leases']);

  await expect
    .poll(async () => await openAs('nodeferry').findMissingPermissions())
    .toEqual([
      ...['get', 'list', 'create', 'update', 'delete'].map((verb) => `${verb} leases in namespace nodeferry`),
      ...['get', 'create', 'update'].map((verb) => `${verb} configmaps in namespace nodeferry`),
    ]);

  real.controlPlane.kubectl(['delete', 'clusterrolebinding', 'nodeferry']);

  await expect
    .poll(async () => await openAs('nodeferry').findMissingPermissions())
    .toEqual(expect.arrayContaining(['delete nodes', 'create pods/eviction', 'list endpointslices']));
});
