import { expect, test } from 'vitest';
import type { BootedInstance } from '../../../lab/contracts.ts';
import { startCloud } from './support.ts';

const zone = 'europe-west1-b';

/** A cloud whose VMs a test watches. */
async function startWatched() {
  const booted: BootedInstance[] = [];
  const terminated: string[] = [];
  const hooks = {
    boot: (one: BootedInstance) => void booted.push(one),
    terminate: (id: string) => void terminated.push(id),
  };
  const cloud = await startCloud({ hooks });
  const group = [...cloud.gcp.model.groups.values()].find((one) => one.zone === zone);
  if (group === undefined) throw new Error('no group');
  const at = { project: 'lab-project', zone };
  return {
    ...cloud,
    booted,
    terminated,
    deleteFromGroup: async (name: string) => {
      const instances = [`zones/${zone}/instances/${name}`];
      const asked = { ...at, instanceGroupManager: group.name, requestBody: { instances } };
      await cloud.gce.instanceGroupManagers.deleteInstances(asked);
    },
    deleteItself: async (name: string) => {
      await cloud.gce.instances.delete({ ...at, instance: name });
    },
  };
}

test('the VMs of a cluster that exists from the start boot once, as nodes of their pool', async () => {
  const { booted, gcp } = await startWatched();
  expect(booted.map(({ instanceId }) => instanceId)).toEqual([...gcp.model.instances.values()].map(({ name }) => name));
  expect(new Set(booted.map(({ privateIp }) => privateIp)).size).toBe(4);
  expect(booted[0]).toMatchObject({
    instanceId: booted[0]?.privateDnsName,
    zone,
    instanceType: 'e2-medium',
    privateIp: '10.0.1.11',
    nodegroup: 'web',
    kubernetesVersion: 'v1.35.8-gke.1000',
    labels: { tier: 'web', 'cloud.google.com/gke-nodepool': 'web' },
    taints: [],
  });
});

test('a VM of a new pool boots when it runs, with the taints that the pool was created with', async () => {
  const { booted, gke, clock } = await startWatched();
  const config = {
    machineType: 'n2-standard-4',
    taints: [{ key: 'only', value: 'web', effect: 'NO_SCHEDULE' as const }],
  };
  await gke.createNodePool({
    parent: 'projects/lab-project/locations/europe-west1/clusters/lab',
    nodePool: { name: 'green', initialNodeCount: 1, version: '1.36', config },
  });
  clock.advance(2_199);
  expect(booted).toHaveLength(4);
  clock.advance(1);
  const identity = {
    nodegroup: 'green',
    kubernetesVersion: 'v1.36.3-gke.1000',
    labels: { 'cloud.google.com/gke-nodepool': 'green' },
    taints: [{ key: 'only', value: 'web', effect: 'NoSchedule' }],
  };
  expect(booted.slice(4)).toMatchObject([identity, identity]);
});

test('a VM that is deleted is dead at once, and only once', async () => {
  const { booted, terminated, clock, deleteFromGroup, deleteItself } = await startWatched();
  const name = booted[0]?.instanceId ?? '';
  await deleteItself(name);
  expect(terminated).toEqual([name]);
  await deleteFromGroup(name);
  clock.advance(60_000);
  expect(terminated).toEqual([name]);
});

test('a VM that is deleted before it runs never boots, and nobody is told of its end', async () => {
  const { booted, terminated, clock, gcp, gke, pool, deleteFromGroup } = await startWatched();
  await gke.setNodePoolSize({ name: pool('web'), nodeCount: 3 });
  clock.advance(300);
  const unborn = [...gcp.model.instances.values()].find((one) => one.status === 'PROVISIONING' && one.zone === zone);
  await deleteFromGroup(unborn?.name ?? '');
  clock.advance(60_000);
  expect([booted.length, terminated.length]).toEqual([5, 0]);
  expect(booted.map(({ instanceId }) => instanceId)).not.toContain(unborn?.name);
});

test('a VM that its group creates again after it was deleted boots again, under its name and with another address', async () => {
  const { booted, clock, deleteItself } = await startWatched();
  const before = booted[0];
  await deleteItself(before?.instanceId ?? '');
  clock.advance(4_000);
  expect(booted).toHaveLength(5);
  expect(booted[4]?.instanceId).toBe(before?.instanceId);
  expect(booted.slice(0, 4).map(({ privateIp }) => privateIp)).not.toContain(booted[4]?.privateIp);
});
