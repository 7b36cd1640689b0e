/** The subnets in which the instances of a new pool start, as EC2 tells them. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEksNodePools } from '../../../adapters/eks/node-pools.ts';
import { refusal } from '../cases/refusal.ts';
import { type AwsBench, calls, openBench } from './support.ts';

let bench: AwsBench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(async () => await bench.close());

const find = async (name = bench.web.name) =>
  await createEksNodePools({ clock: bench.clock, maxAttempts: 1 }).findSubnets?.({ ...bench.web, name });

test('are those of the node group, each with its zone, its block and the addresses that no instance has', async () => {
  const { network, instances } = bench.aws.model;
  const found = await find();
  const used = (id: string) => [...instances.values()].filter(({ subnetId }) => subnetId === id).length;
  expect(found?.length).toBeGreaterThan(0);
  for (const { name, zone, cidr, free } of found ?? []) {
    const subnet = network.subnets.find(({ id }) => id === name);
    expect({ zone, cidr, free }).toEqual({ zone: subnet?.zone, cidr: subnet?.cidr, free: 251 - used(name) });
  }
  expect(found?.reduce((sum, { free }) => sum + 251 - free, 0)).toBe(instances.size);
  expect(calls(bench.aws, 'DescribeSubnets')).toHaveLength(1);
});

test('of a pool that is gone are refused in words for an operator', async () => {
  expect(await refusal(find('nobody'))).toBe('PoolNotFound');
});
