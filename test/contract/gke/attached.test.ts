/** What a plan is told of load balancers of the user's own that have the instance groups of a pool as backends. */
import './tls-roots.ts';
import { beforeEach, expect, test } from 'vitest';
import { problemOf } from '../cases/refusal.ts';
import { type Compute, openBalancerBench } from './balancers.ts';
import { makeBackend, makeSharedGroups } from './ingress-backends.ts';
import type { GkeBench } from './support.ts';

let bench: GkeBench;
let compute: Compute;
beforeEach(async () => {
  ({ bench, compute } = await openBalancerBench());
});

const attached = async (name = 'web') => await bench.pools.findAttached?.({ ...bench.web, name });
const groupsOf = (pool: string) =>
  [...bench.gcp.model.groups.values()]
    .filter(({ name }) => name.includes(`-${pool}-`))
    .toSorted((a, b) => (a.zone < b.zone ? -1 : 1));

/** A backend service with the groups of a pool, as Terraform makes it of `managed_instance_group_urls`. */
const makeOwn = async (name: string, scope: string, pool: string) =>
  await compute.send('POST', `${scope}/backendServices`, {
    name,
    backends: groupsOf(pool).map((group) => ({
      group: compute.url(`zones/${group.zone}/instanceGroups/${group.name}`),
    })),
  });

test('a pool whose groups no backend service has is attached to none, whatever its controllers have', async () => {
  await makeSharedGroups(compute);
  await makeBackend(compute);
  await makeOwn('of-other', 'global', 'other');
  expect(await attached()).toEqual([]);
});

test('backend services of a region or in front of several, and target pools, are told by their names', async () => {
  await makeOwn('shop', 'global', 'web');
  await makeOwn('admin', 'regions/europe-west1', 'web');
  await makeOwn('of-other', 'global', 'other');
  for (const group of groupsOf('web')) group.targetPools = ['regions/europe-west1/targetPools/old'];
  expect(await attached()).toEqual(['admin', 'old', 'shop']);
  expect(await attached('other')).toEqual(['of-other']);
});

test('a group of the same name in another zone is another one', async () => {
  const [group] = groupsOf('web');
  const url = compute.url(`zones/europe-west1-d/instanceGroups/${group?.name}`);
  await compute.send('POST', 'global/backendServices', { name: 'elsewhere', backends: [{ group: url }] });
  expect(await attached()).toEqual([]);
});

test('whoever may not list backend services is told which permission that takes', async () => {
  ({ bench } = await openBalancerBench(['container.clusters.get', 'compute.instanceGroupManagers.get']));
  expect(await problemOf(bench.pools.findAttached?.(bench.web) ?? Promise.resolve())).toMatchObject({
    code: 'Forbidden',
    message: expect.stringContaining('compute.backendServices.list'),
  });
});
