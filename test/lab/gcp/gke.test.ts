import { describe, expect, test } from 'vitest';
import { clusterName as parent, rpcErrorOf, startCloud } from './support.ts';

const inChannel = {
  clusters: [{ name: 'lab', channel: 'REGULAR' as const, pools: [{ name: 'web', initialNodeCount: 1 }] }],
};

describe('a node pool', () => {
  test('is created by an operation that takes as long as its VMs, one group for each zone', async () => {
    const { gke, clock, operationOf, pool } = await startCloud();
    const created = await gke.createNodePool({
      parent,
      nodePool: { name: 'new', initialNodeCount: 2, version: '1.36' },
    });
    expect(created[0]).toMatchObject({ operationType: 'CREATE_NODE_POOL', status: 'PENDING' });
    expect(created[0].targetLink).toMatch(/clusters\/lab\/nodePools\/new$/);

    clock.advance(1_000);
    expect(await operationOf(created)).toMatchObject({ status: 'RUNNING' });
    expect((await gke.getNodePool({ name: pool('new') }))[0]).toMatchObject({ status: 'PROVISIONING' });

    clock.advance(5_000);
    const [made] = await gke.getNodePool({ name: pool('new') });
    expect(await operationOf(created)).toMatchObject({ status: 'DONE', error: null });
    expect(made).toMatchObject({ status: 'RUNNING', version: '1.36.3-gke.1000', initialNodeCount: 2 });
    expect(made.instanceGroupUrls?.map((url) => /zones\/([^/]+)/.exec(url)?.[1])).toEqual([
      'europe-west1-b',
      'europe-west1-c',
    ]);
  });

  test('grows in every zone at once, and shrinks by VMs that nobody names', async () => {
    const { gke, gcp, clock, pool } = await startCloud();
    const before = [...gcp.model.instances.keys()];
    await gke.setNodePoolSize({ name: pool('web'), nodeCount: 3 });
    clock.advance(10_000);
    expect(gcp.model.instances.size).toBe(6);
    await gke.setNodePoolSize({ name: pool('web'), nodeCount: 1 });
    clock.advance(10_000);
    expect(gcp.model.instances.size).toBe(2);
    expect(before.filter((key) => gcp.model.instances.has(key))).toEqual([]);
  });

  test('is deleted with its VMs', async () => {
    const { gke, gcp, clock, pool } = await startCloud();
    await gke.deleteNodePool({ name: pool('web') });
    expect((await gke.getNodePool({ name: pool('web') }))[0]).toMatchObject({ status: 'STOPPING' });
    clock.advance(10_000);
    expect(await rpcErrorOf(gke.getNodePool({ name: pool('web') }))).toMatchObject({ code: 5 });
    expect([gcp.model.instances.size, gcp.model.groups.size]).toEqual([0, 0]);
  });

  test('keeps both kinds of management on in a release channel', async () => {
    const { gke, pool } = await startCloud(inChannel);
    const off = { name: pool('web'), management: { autoUpgrade: false, autoRepair: false } };
    expect(await rpcErrorOf(gke.setNodePoolManagement(off))).toMatchObject({
      code: 3,
      message: expect.stringContaining(
        'Auto_upgrade and auto_repair cannot be false when release_channel REGULAR is set',
      ),
    });
  });

  test('has labels, which are replaced as a whole, unless it has changed since it was read', async () => {
    const { gcp, gke, clock, pool } = await startCloud();
    const before = [...gcp.model.instances.values()];
    const [{ etag }] = await gke.getNodePool({ name: pool('web') });
    const label = (value: string) =>
      gke.updateNodePool({ name: pool('web'), ...(etag && { etag }), labels: { labels: { owner: value } } });
    await label('a');
    clock.advance(5_000);
    expect((await gke.getNodePool({ name: pool('web') }))[0].config?.labels).toEqual({ owner: 'a' });
    expect(await rpcErrorOf(label('b'))).toMatchObject({ code: 10 });
    expect([...gcp.model.instances.values()]).toEqual(before);
  });

  test('recreates its nodes for a resource label', async () => {
    const { gcp, gke, clock, pool } = await startCloud();
    const idsByName = () => Object.fromEntries([...gcp.model.instances.values()].map(({ name, id }) => [name, id]));
    const before = idsByName();
    await gke.updateNodePool({ name: pool('web'), resourceLabels: { labels: { owner: 'a' } } });
    clock.advance(20_000);
    const after = idsByName();
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(Object.values(after).filter((id) => Object.values(before).includes(id))).toEqual([]);
  });

  test('of GKE Sandbox is told with a label and a taint of GKE, which nobody else may set', async () => {
    const key = 'sandbox.gke.io/runtime';
    const config = { sandboxConfig: { type: 'GVISOR' as const } };
    const { gke, pool } = await startCloud({ clusters: [{ name: 'lab', pools: [{ name: 'web', config }] }] });
    const told = (await gke.getNodePool({ name: pool('web') }))[0].config ?? {};
    expect([told.labels, told.taints]).toEqual([
      { [key]: 'gvisor' },
      [{ key, value: 'gvisor', effect: 'NO_SCHEDULE' }],
    ]);
    const { taints = null, labels = null } = told;
    const create = (settings: object) =>
      gke.createNodePool({ parent, nodePool: { name: 'new', config: { ...config, ...settings } } });
    for (const [kind, call] of [
      ['labels', create({ labels })],
      ['taints', create({ taints })],
      ['labels', gke.updateNodePool({ name: pool('web'), labels: { labels } })],
    ] as const)
      expect(await rpcErrorOf(call)).toMatchObject({
        code: 3,
        message: `3 INVALID_ARGUMENT: Node ${kind} with key "${key}" are managed by GKE and must not be manually specified.`,
      });
  });

  test('of an Autopilot cluster belongs to GKE', async () => {
    const { gke, pool } = await startCloud({ clusters: [{ name: 'lab', autopilot: true, pools: [{ name: 'web' }] }] });
    expect(await rpcErrorOf(gke.deleteNodePool({ name: pool('web') }))).toMatchObject({
      message: expect.stringContaining('Autopilot node pools cannot be accessed or modified'),
    });
  });
});

describe('an operation that runs', () => {
  test('of a pool refuses others of that pool and of the cluster, and is named', async () => {
    const { gke, clock, pool } = await startCloud();
    const [{ name }] = await gke.setNodePoolSize({ name: pool('web'), nodeCount: 2 });
    const second = () => gke.setNodePoolSize({ name: pool('web'), nodeCount: 3 });
    const [{ maintenancePolicy = null }] = await gke.getCluster({ name: parent });
    const ofCluster = await rpcErrorOf(gke.setMaintenancePolicy({ name: parent, maintenancePolicy }));
    expect(ofCluster.reason).toBe('CLUSTER_ALREADY_HAS_OPERATION');
    await gke.createNodePool({ parent, nodePool: { name: 'new', initialNodeCount: 1 } });
    expect(await rpcErrorOf(second())).toEqual({
      code: 9,
      message: `9 FAILED_PRECONDITION: Cluster is running incompatible operation ${name}.`,
      reason: 'CLUSTER_ALREADY_HAS_OPERATION',
      domain: 'container.googleapis.com',
    });
    clock.advance(10_000);
    expect((await second())[0]).toMatchObject({ operationType: 'SET_NODE_POOL_SIZE' });
  });

  test('of the cluster refuses those of its pools', async () => {
    const { gke, pool } = await startCloud();
    const [{ maintenancePolicy = null }] = await gke.getCluster({ name: parent });
    await gke.setMaintenancePolicy({ name: parent, maintenancePolicy });
    const ofPool = await rpcErrorOf(gke.setNodePoolSize({ name: pool('web'), nodeCount: 3 }));
    expect(ofPool.reason).toBe('CLUSTER_ALREADY_HAS_OPERATION');
  });

  test('was told in other words earlier, without a reason', async () => {
    const { gke, gcp, pool } = await startCloud();
    gcp.faults.useEarlierConflictTexts();
    const [{ name }] = await gke.createNodePool({ parent, nodePool: { name: 'new', initialNodeCount: 1 } });
    const told = await rpcErrorOf(gke.deleteNodePool({ name: pool('new') }));
    expect(told).toMatchObject({
      code: 9,
      message: expect.stringContaining(`Operation ${name} is currently creating a node pool for cluster lab.`),
    });
    expect(told.reason).toBeUndefined();
  });

  test('goes on while the zone has no resources, and ends with an error when its time is over', async () => {
    const { gke, gcp, clock, operationOf, pool } = await startCloud();
    gcp.faults.stockOut();
    const created = await gke.createNodePool({ parent, nodePool: { name: 'new', initialNodeCount: 1 } });
    clock.advance(30_000);
    expect(await operationOf(created)).toMatchObject({ status: 'RUNNING', error: null });
    clock.advance(40_000);
    expect(await operationOf(created)).toMatchObject({ status: 'DONE', error: { code: 8 } });
    expect((await gke.getNodePool({ name: pool('new') }))[0]).toMatchObject({
      status: 'ERROR',
      conditions: [{ code: 'GCE_STOCKOUT', message: expect.stringContaining('does not have enough resources') }],
    });
  });
});

test('the quota of the region refuses a pool, with its numbers', async () => {
  const { gke, gcp } = await startCloud();
  gcp.faults.limitCpus(4);
  expect(
    await rpcErrorOf(gke.createNodePool({ parent, nodePool: { name: 'new', initialNodeCount: 2 } })),
  ).toMatchObject({
    code: 7,
    message: expect.stringContaining(`resource "CPUS": request requires '8.0' and is short '4.0'`),
  });
});

test('a call whose answer is lost has taken effect, and what may be repeated is repeated by the client', async () => {
  const { gke, gcp, pool } = await startCloud();
  gcp.faults.fail('lost', { method: 'SetNodePoolSize' });
  expect(await rpcErrorOf(gke.setNodePoolSize({ name: pool('web'), nodeCount: 3 }))).toMatchObject({ code: 14 });
  expect([...gcp.model.gkeOperations.values()].map(({ type }) => type)).toEqual(['SET_NODE_POOL_SIZE']);
  gcp.faults.fail('unavailable', { method: 'GetNodePool' }, 2);
  expect((await gke.getNodePool({ name: pool('web') }))[0].name).toBe('web');
});

test('what has no model is refused by name', async () => {
  const { gke, gcp, pool } = await startCloud();
  expect(await rpcErrorOf(gke.rollbackNodePoolUpgrade({ name: pool('web') }))).toMatchObject({ code: 12 });
  const request = { name: pool('web'), nodeVersion: '1.36' };
  expect(await rpcErrorOf(gke.updateNodePool(request))).toMatchObject({
    code: 12,
    message: expect.stringContaining('nodeVersion'),
  });
  expect(gcp.requests.map(({ outcome }) => outcome)).toEqual(['UNIMPLEMENTED', 'UNIMPLEMENTED']);
});
