import { describe, expect, test } from 'vitest';
import { httpErrorOf, startCloud } from './support.ts';

const project = 'lab-project';
const region = 'europe-west1';
const zone = 'europe-west1-b';

/** A cloud with what its clients create, and the VMs of one zone. */
async function startBalancing() {
  const cloud = await startCloud();
  const vms = [...cloud.gcp.model.instances.values()].filter((one) => one.zone === zone);
  const url = (path: string) => `${cloud.gcp.computeUrl}/compute/v1/projects/${project}/${path}`;
  const instance = (name: string | undefined) => url(`zones/${zone}/instances/${name}`);
  return { ...cloud, vms, url, instance };
}

/** A backend service `web` with a group of the nodes of one zone, both of them attached. */
async function startWithEndpoints(drainingTimeoutSec = 30) {
  const cloud = await startBalancing();
  const { gce, vms, url, clock } = cloud;
  const at = { project, zone, networkEndpointGroup: 'web' };
  const networkEndpoints = vms.map(({ name, ip }) => ({ instance: name, ipAddress: ip }));
  await gce.networkEndpointGroups.insert({
    project,
    zone,
    requestBody: { name: 'web', networkEndpointType: 'GCE_VM_IP' },
  });
  await gce.networkEndpointGroups.attachNetworkEndpoints({ ...at, requestBody: { networkEndpoints } });
  await gce.regionBackendServices.insert({
    project,
    region,
    requestBody: {
      name: 'web',
      connectionDraining: { drainingTimeoutSec },
      backends: [{ group: url(`zones/${zone}/networkEndpointGroups/web`), balancingMode: 'CONNECTION' }],
    },
  });
  const states = async () => {
    const list = { ...at, requestBody: { healthStatus: 'SHOW' } };
    const { items } = (await gce.networkEndpointGroups.listNetworkEndpoints(list)).data;
    return (items ?? []).map((one) => one.healths?.map(({ healthState }) => healthState).join());
  };
  const detach = async () => {
    const requestBody = { networkEndpoints: networkEndpoints.slice(0, 1) };
    return (await gce.networkEndpointGroups.detachNetworkEndpoints({ ...at, requestBody })).data;
  };
  const attach = async () => {
    const requestBody = { networkEndpoints: networkEndpoints.slice(0, 1) };
    await gce.networkEndpointGroups.attachNetworkEndpoints({ ...at, requestBody });
  };
  const groupHealth = async () => {
    const asked = {
      project,
      region,
      backendService: 'web',
      requestBody: { group: url(`zones/${zone}/networkEndpointGroups/web`) },
    };
    return (await gce.regionBackendServices.getHealth(asked)).data.healthStatus ?? [];
  };
  clock.advance(2_000);
  return { ...cloud, at, states, detach, attach, groupHealth };
}

describe('a network endpoint group', () => {
  test('lists its endpoints, with their health in each backend service where that is asked for', async () => {
    const { gce, at, states, vms, groupHealth } = await startWithEndpoints();
    const { items } = (await gce.networkEndpointGroups.listNetworkEndpoints({ ...at, requestBody: {} })).data;
    expect(items?.map(({ networkEndpoint, healths }) => [networkEndpoint, healths])).toEqual(
      vms.map(({ name, ip }) => [{ instance: name, ipAddress: ip }, []]),
    );
    expect(await states()).toEqual(['HEALTHY', 'HEALTHY']);
    expect(await groupHealth()).toMatchObject([{ ipAddress: vms[0]?.ip, healthState: 'HEALTHY' }, {}]);
    expect((await gce.networkEndpointGroups.get(at)).data.size).toBe(2);
  });

  test('has an endpoint that was just attached as UNHEALTHY, and one that fails its checks', async () => {
    const { gcp, clock, states, detach, attach, vms } = await startWithEndpoints(0);
    await detach();
    await attach();
    expect(await states()).toEqual(['HEALTHY', 'UNHEALTHY']);
    clock.advance(2_000);
    gcp.model.failing.add(vms[1]?.ip ?? '');
    expect(await states()).toEqual(['UNHEALTHY', 'HEALTHY']);
  });

  test('drains an endpoint that is detached for the time of its backend service; the operation takes as long', async () => {
    const { gce, clock, states, detach } = await startWithEndpoints();
    const { name } = await detach();
    const status = async () => (await gce.zoneOperations.get({ project, zone, operation: name ?? '' })).data.status;
    expect(await states()).toEqual(['DRAINING', 'HEALTHY']);
    clock.advance(29_000);
    expect([await states(), await status()]).toEqual([['DRAINING', 'HEALTHY'], 'RUNNING']);
    clock.advance(2_000);
    expect([await states(), await status()]).toEqual([['HEALTHY'], 'DONE']);
  });

  test('keeps an endpoint that is attached again while it drains', async () => {
    const { clock, states, detach, attach } = await startWithEndpoints();
    await detach();
    await attach();
    clock.advance(60_000);
    expect(await states()).toEqual(['HEALTHY', 'HEALTHY']);
  });

  test('refuses an endpoint on a VM that does not exist', async () => {
    const { gce, at } = await startWithEndpoints();
    const requestBody = { networkEndpoints: [{ instance: 'gone', ipAddress: '10.0.0.9' }] };
    expect(await httpErrorOf(gce.networkEndpointGroups.attachNetworkEndpoints({ ...at, requestBody }))).toMatchObject({
      status: 400,
      reason: 'invalid',
    });
  });

  test('of pods tells its endpoints apart by their ports', async () => {
    const { gce, vms } = await startBalancing();
    const at = { project, zone, networkEndpointGroup: 'pods' };
    const requestBody = { name: 'pods', networkEndpointType: 'GCE_VM_IP_PORT' };
    await gce.networkEndpointGroups.insert({ project, zone, requestBody });
    const pod = (port: number) => ({ instance: vms[0]?.name ?? '', ipAddress: '10.244.1.5', port });
    await gce.networkEndpointGroups.attachNetworkEndpoints({
      ...at,
      requestBody: { networkEndpoints: [pod(8080), pod(8081)] },
    });
    await gce.networkEndpointGroups.detachNetworkEndpoints({ ...at, requestBody: { networkEndpoints: [pod(8080)] } });
    const { items } = (await gce.networkEndpointGroups.listNetworkEndpoints({ ...at, requestBody: {} })).data;
    expect(items?.map(({ networkEndpoint }) => networkEndpoint)).toEqual([pod(8081)]);
  });

  test('cannot be deleted while a backend service has it', async () => {
    const { gce, at } = await startWithEndpoints();
    expect(await httpErrorOf(gce.networkEndpointGroups.delete(at))).toMatchObject({
      status: 400,
      reason: 'resourceInUseByAnotherResource',
      message: expect.stringContaining(`'projects/${project}/regions/${region}/backendServices/web'`),
    });
  });
});

describe('a target pool', () => {
  test('has the VMs that it was created with and that were added, in whichever form they were named', async () => {
    const { gce, vms, instance, clock } = await startBalancing();
    const [first, second] = vms.map(({ name }) => name);
    const at = { project, region, targetPool: 'web' };
    await gce.targetPools.insert({
      project,
      region,
      requestBody: { name: 'web', instances: [`/zones/${zone}/instances/${first}`] },
    });
    await gce.targetPools.addInstance({ ...at, requestBody: { instances: [{ instance: instance(second) }] } });
    const target = (await gce.targetPools.get(at)).data.selfLink ?? '';
    await gce.forwardingRules.insert({ project, region, requestBody: { name: 'web', target } });
    clock.advance(2_000);
    expect((await gce.targetPools.get(at)).data.instances).toEqual([instance(first), instance(second)]);
    const health = await gce.targetPools.getHealth({ ...at, requestBody: { instance: instance(first) } });
    const address = (await gce.forwardingRules.get({ project, region, forwardingRule: 'web' })).data.IPAddress;
    expect(health.data.healthStatus).toEqual([
      { instance: instance(first), ipAddress: address, healthState: 'HEALTHY' },
    ]);
    await gce.targetPools.removeInstance({ ...at, requestBody: { instances: [{ instance: instance(first) }] } });
    expect((await gce.targetPools.get(at)).data.instances).toEqual([instance(second)]);
    expect(
      await httpErrorOf(gce.targetPools.getHealth({ ...at, requestBody: { instance: instance(first) } })),
    ).toMatchObject({ status: 400 });
  });
});

test('an instance group lists its VMs, without those that are gone', async () => {
  const { gce, gcp, vms, instance, clock } = await startBalancing();
  const at = { project, zone, instanceGroup: 'k8s-ig' };
  await gce.instanceGroups.insert({ project, zone, requestBody: { name: 'k8s-ig' } });
  const instances = vms.map(({ name }) => ({ instance: instance(name) }));
  await gce.instanceGroups.addInstances({ ...at, requestBody: { instances } });
  const group = [...gcp.model.groups.values()].find((one) => one.zone === zone);
  await gce.instanceGroupManagers.deleteInstances({
    project,
    zone,
    instanceGroupManager: group?.name ?? '',
    requestBody: { instances: [instance(vms[0]?.name)] },
  });
  clock.advance(3_000);
  const { items } = (await gce.instanceGroups.listInstances({ ...at, requestBody: {} })).data;
  expect(items).toEqual([{ instance: instance(vms[1]?.name), status: 'RUNNING' }]);
});

describe('a forwarding rule', () => {
  test('keeps the address that was reserved for it, and is found by it', async () => {
    const { gce } = await startBalancing();
    await gce.addresses.insert({ project, region, requestBody: { name: 'web' } });
    const reserved = (await gce.addresses.get({ project, region, address: 'web' })).data;
    await gce.forwardingRules.insert({
      project,
      region,
      requestBody: { name: 'web', IPAddress: reserved.selfLink ?? '' },
    });
    await gce.addresses.delete({ project, region, address: 'web' });
    const filter = `IPAddress = "${reserved.address}"`;
    const { items } = (await gce.forwardingRules.list({ project, region, filter })).data;
    expect(items?.map(({ name, IPAddress }) => [name, IPAddress])).toEqual([['web', reserved.address]]);
    const all = (await gce.forwardingRules.aggregatedList({ project, filter })).data.items;
    expect(all?.[`regions/${region}`]?.forwardingRules).toHaveLength(1);
    expect(all?.['global']?.warning?.code).toBe('NO_RESULTS_ON_PAGE');
  });

  test('has an address of its own where none was named', async () => {
    const { gce } = await startBalancing();
    for (const [name, loadBalancingScheme] of [
      ['inside', 'INTERNAL'],
      ['outside', 'EXTERNAL'],
      ['another', 'EXTERNAL'],
    ] as const) {
      await gce.forwardingRules.insert({ project, region, requestBody: { name, loadBalancingScheme } });
    }
    const { items } = (await gce.forwardingRules.list({ project, region })).data;
    expect(items?.map(({ IPAddress }) => IPAddress)).toEqual(['10.0.201.1', '203.0.113.1', '203.0.113.2']);
  });
});

describe('what a client describes', () => {
  const check = { project, region, healthCheck: 'web' };
  const start = async () => {
    const cloud = await startBalancing();
    await cloud.gce.regionHealthChecks.insert({ project, region, requestBody: { name: 'web', checkIntervalSec: 8 } });
    return cloud;
  };

  test('has the defaults of the API where nothing was said', async () => {
    const { gce } = await start();
    expect((await gce.regionHealthChecks.get(check)).data).toMatchObject({
      kind: 'compute#healthCheck',
      checkIntervalSec: 8,
      timeoutSec: 5,
      unhealthyThreshold: 2,
    });
  });

  test('is created once under one name', async () => {
    const { gce } = await start();
    const again = gce.regionHealthChecks.insert({ project, region, requestBody: { name: 'web' } });
    expect(await httpErrorOf(again)).toMatchObject({ status: 409, reason: 'alreadyExists' });
    const unnamed = gce.regionHealthChecks.insert({ project, region, requestBody: { name: 'Web' } });
    expect(await httpErrorOf(unnamed)).toMatchObject({ status: 400, reason: 'invalid' });
  });

  test('is patched in part and updated as a whole', async () => {
    const { gce } = await start();
    await gce.regionHealthChecks.patch({ ...check, requestBody: { timeoutSec: 1 } });
    expect((await gce.regionHealthChecks.get(check)).data).toMatchObject({ checkIntervalSec: 8, timeoutSec: 1 });
    await gce.regionHealthChecks.update({ ...check, requestBody: { name: 'web', type: 'TCP' } });
    expect((await gce.regionHealthChecks.get(check)).data).toMatchObject({ type: 'TCP' });
    expect((await gce.regionHealthChecks.get(check)).data.checkIntervalSec).toBeUndefined();
  });

  test('is changed only by those who know its latest state, where they say which they know', async () => {
    const { gce } = await startBalancing();
    const service = { project, region, backendService: 'web' };
    await gce.regionBackendServices.insert({ project, region, requestBody: { name: 'web' } });
    const before = (await gce.regionBackendServices.get(service)).data;
    await gce.regionBackendServices.patch({ ...service, requestBody: { description: 'first' } });
    const late = gce.regionBackendServices.update({ ...service, requestBody: before });
    expect(await httpErrorOf(late)).toMatchObject({ status: 412, reason: 'conditionNotMet' });
    expect(before.connectionDraining).toEqual({ drainingTimeoutSec: 0 });
  });

  test('is gone once it is deleted', async () => {
    const { gce } = await start();
    await gce.regionHealthChecks.delete(check);
    expect(await httpErrorOf(gce.regionHealthChecks.get(check))).toMatchObject({ status: 404, reason: 'notFound' });
  });
});

test('those who wait for an operation are answered when it is done', async () => {
  const { gce, gcp, clock } = await startBalancing();
  const { name } = (await gce.firewalls.insert({ project, requestBody: { name: 'web' } })).data;
  const waiting = gce.globalOperations.wait({ project, operation: name ?? '' });
  const waiters = () => gcp.model.computeOperations.get(name ?? '')?.waiters.length;
  await expect.poll(waiters, { timeout: 30_000 }).toBe(1);
  clock.advance(1_000);
  expect((await waiting).data.status).toBe('DONE');
});

test('the cloud has one network, one region and its zones from the start', async () => {
  const { gce } = await startBalancing();
  const zones = (await gce.zones.list({ project, filter: `region eq .*/${region}` })).data.items;
  expect(zones?.map(({ name }) => name)).toEqual(['europe-west1-b', 'europe-west1-c']);
  expect((await gce.networks.get({ project, network: 'default' })).data.subnetworks).toHaveLength(1);
  expect(await httpErrorOf(gce.regions.get({ project, region: 'mars' }))).toMatchObject({ status: 404 });
  const here = (await gce.instances.list({ project, zone, filter: 'name eq gke-.*' })).data.items;
  expect(here).toHaveLength(2);
});
