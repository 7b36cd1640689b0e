/** The role in deploy/iam against a cloud that checks permissions: everything works with it, and nothing in it is unused. */
import './tls-roots.ts';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { findMissingPermissions } from '../../../adapters/gke/permissions.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { startOperation } from '../../../lab/gcp/gke/operations.ts';
import { permissionOf } from '../../../lab/gcp/permissions.ts';
import { later } from '../../../lab/gcp/world.ts';
import { refusal } from '../cases/refusal.ts';
import {
  makeInstanceGroups,
  makeNodeGroups,
  makePodGroups,
  makeTargetPool,
  openBalancerBench,
  openBalancers,
  openCompute,
  serviceAt,
} from './balancers.ts';
import { backendName, behindIngress, makeBackend, makeSharedGroups } from './ingress-backends.ts';
import { calls, type GkeBench, openBench, target } from './support.ts';

const file = new URL('../../../deploy/iam/gke-role.yaml', import.meta.url);
const { includedPermissions } = parse(readFileSync(file, 'utf8')) as { includedPermissions: readonly string[] };

/** Load balancers of each kind are found, and their members read. */
async function watch(bench: GkeBench): Promise<void> {
  const balancers = openBalancers(bench);
  const compute = openCompute(bench);
  const addresses = {
    pool: await makeTargetPool(compute, { name: 'pool' }),
    nodes: await makeNodeGroups(compute, { name: 'nodes' }),
    internal: await makeNodeGroups(compute, { name: 'internal', checkScope: 'global' }),
    instances: await makeInstanceGroups(compute, { name: 'instances' }),
  };
  const services = Object.entries(addresses).map(([name, address]) => serviceAt(address, { key: `default/${name}` }));
  const pods = await makePodGroups(compute, { name: 'pods' });
  await makeSharedGroups(compute);
  await makeBackend(compute);
  const { groups } = await balancers.discover([...services, pods, behindIngress([backendName()])]);
  const read = await balancers.readTargets(groups);
  expect(read.map(({ targets }) => targets.length)).toEqual([4, 4, 4, 4, 4, 4]);
}

/** A whole replacement, in which an operation of somebody else is found by each of its two texts, and a VM is looked for in other pools. */
async function replace(bench: GkeBench): Promise<void> {
  const { gcp, cloudClock, pools, web } = bench;
  const { model } = gcp;
  const cluster = model.clusters.get('prod');
  if (cluster === undefined) throw new Error('no cluster');
  const replacement = { ...web, name: 'web-new' };
  const request = { source: web, target, run: 'run-1', token: 't' };
  await watch(bench);
  await pools.replacement.requireMayCreate(request);
  startOperation(model, cluster, { type: 'UPGRADE_MASTER', run: (done) => later(model, 10_000, () => done()) });
  await pools.replacement.createPool({ ...request, size: 2 });
  await pools.describePool(replacement);
  cloudClock.advance(10_000);
  await pools.replacement.resize(replacement, { size: 4, run: 'run-1' });
  cloudClock.advance(10_000);
  await pools.scaling.restore(web, await pools.scaling.suspend(web));
  await pools.scaling.suspend(web);
  await pools.size.trimPool(web);
  for (const { instanceId } of await pools.observeInstances(web)) await pools.terminateInstance(web, instanceId);
  await pools.size.restoreSize(web, { size: 1, zones: { 'europe-west1-b': 1 } });
  cloudClock.advance(10_000);
  for (const { instanceId } of await pools.observeInstances(web)) await pools.terminateInstance(web, instanceId);
  await pools.observeInstance(web, 'nobody');
  cloudClock.advance(10_000);
  await pools.replacement.deletePool(web, {});
  cloudClock.advance(10_000);
  expect((await pools.replacement.findReplacements(web)).map(({ status }) => status)).toEqual(['active']);
}

test.each(['UNSPECIFIED', 'REGULAR'] as const)(
  'replacing a pool in channel %s needs no other permission',
  async (channel) => {
    const bench = await openBench({ channel }, includedPermissions);
    await replace(bench);
    expect(bench.gcp.requests.map(({ outcome }) => outcome)).not.toContain('403');
    expect(bench.gcp.requests.map(({ outcome }) => outcome)).not.toContain('PERMISSION_DENIED');
  },
);

test('every permission of the role is used', async () => {
  const bench = await openBench({}, includedPermissions);
  await replace(bench);
  bench.gcp.faults.useNamelessConflicts();
  const cluster = bench.gcp.model.clusters.get('prod');
  if (cluster === undefined) throw new Error('no cluster');
  const { model } = bench.gcp;
  startOperation(model, cluster, { type: 'UPGRADE_MASTER', run: (done) => later(model, 10_000, () => done()) });
  await bench.pools.scaling.suspend({ ...bench.web, name: 'web-new' });
  const used = bench.gcp.requests.map(({ method }) => permissionOf(method));
  expect([...new Set(used)].toSorted()).toEqual([...includedPermissions].toSorted());
});

test.each(includedPermissions.filter((one) => one !== 'container.operations.list'))(
  'without %s something is refused, and its error names the permission',
  async (missing) => {
    const bench = await openBench(
      {},
      includedPermissions.filter((one) => one !== missing),
    );
    await expect(replace(bench)).rejects.toMatchObject({
      problem: { code: 'Forbidden', message: expect.stringContaining(missing), hint: expect.stringContaining(missing) },
    });
  },
);

test('a role from before pods were targets fails only where Services have groups of pods, and says how to update it', async () => {
  const missing = 'compute.backendServices.list';
  const { balancers, compute } = await openBalancerBench(includedPermissions.filter((one) => one !== missing));
  const nodes = serviceAt(await makeNodeGroups(compute, { name: 'nodes' }), { key: 'default/nodes' });
  const pods = await makePodGroups(compute, { name: 'pods' });
  expect((await balancers.discover([nodes])).groups).toHaveLength(1);
  await expect(balancers.discover([nodes, pods])).rejects.toMatchObject({
    problem: {
      code: 'Forbidden',
      message: expect.stringContaining(`backend services: ${missing}`),
      hint: expect.stringContaining(
        `grant the permission ${missing} to the service account that nodeferry runs under. Where it has the role of deploy/iam/gke-role.yaml: gcloud iam roles update nodeferry --project=lab-project --file=deploy/iam/gke-role.yaml`,
      ),
    },
  });
});

test('a role from before instance groups of Ingresses were targets fails only where a Service has them', async () => {
  const missing = 'compute.backendServices.get';
  const { balancers, compute } = await openBalancerBench(includedPermissions.filter((one) => one !== missing));
  await makeSharedGroups(compute);
  await makeBackend(compute);
  const pods = await makePodGroups(compute, { name: 'pods' });
  const watch = async (...services: readonly ServiceFacts[]) =>
    await balancers.readTargets((await balancers.discover(services)).groups);
  expect(await watch(pods)).toHaveLength(1);
  await expect(watch(pods, behindIngress([backendName()]))).rejects.toMatchObject({
    problem: { code: 'Forbidden', hint: expect.stringContaining(missing) },
  });
});

test.each([
  ['the role', includedPermissions, []],
  ['less', includedPermissions.slice(2), includedPermissions.slice(0, 2)],
  ['nothing', [], includedPermissions],
])('a caller with %s is told what it lacks, whatever it may do', async (_what, granted, missing) => {
  const { gcp } = await openBench({}, granted);
  const clock = { now: () => Date.now(), sleep: async () => undefined };
  const resourceManagerUrl = `${gcp.computeUrl}/`;
  expect(await findMissingPermissions({ clock, project: 'lab-project', resourceManagerUrl })).toEqual(missing);
});

test('a call that names no permission of the role is refused by the cloud', async () => {
  const bench = await openBench({}, []);
  expect(await refusal(bench.pools.describePool(bench.web))).toBe('Forbidden');
  expect(calls(bench.gcp, 'GetNodePool').map(({ outcome }) => outcome)).toEqual(['PERMISSION_DENIED']);
});
