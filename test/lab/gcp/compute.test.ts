import { describe, expect, test } from 'vitest';
import { httpErrorOf, startCloud } from './support.ts';

const project = 'lab-project';
const zone = 'europe-west1-b';
const requestId = '11111111-2222-4333-8444-555555555555';

async function startWithGroup() {
  const cloud = await startCloud();
  const group = [...cloud.gcp.model.groups.values()].find((one) => one.zone === zone);
  if (group === undefined) throw new Error('no group');
  const at = { project, zone, instanceGroupManager: group.name };
  const url = (name: string) => `projects/${project}/zones/${zone}/instances/${name}`;
  const members = async () =>
    (await cloud.gce.instanceGroupManagers.listManagedInstances(at)).data.managedInstances ?? [];
  const remove = async (names: readonly string[], more: object = {}) =>
    (
      await cloud.gce.instanceGroupManagers.deleteInstances({
        ...at,
        requestId,
        requestBody: { instances: names.map(url), ...more },
      })
    ).data;
  return { ...cloud, group, at, members, remove };
}

describe('a managed instance group', () => {
  test('lists its VMs with what it does to them', async () => {
    const { members, gce, at } = await startWithGroup();
    expect((await members()).map(({ currentAction, instanceStatus }) => [currentAction, instanceStatus])).toEqual([
      ['NONE', 'RUNNING'],
      ['NONE', 'RUNNING'],
    ]);
    expect((await gce.instanceGroupManagers.get(at)).data).toMatchObject({ targetSize: 2, status: { isStable: true } });
  });

  test('deletes exactly the VM that is named, once for one request ID, and is smaller by one', async () => {
    const { members, remove, group, clock, gce } = await startWithGroup();
    const [victim = '', other] = [...group.members.keys()];
    const [first, second] = [await remove([victim]), await remove([victim])];
    expect(second.name).toBe(first.name);
    clock.advance(1_000);
    expect((await members()).map(({ currentAction }) => currentAction)).toEqual(['DELETING', 'NONE']);
    clock.advance(5_000);
    expect((await members()).map(({ name }) => name)).toEqual([other]);
    expect(group.targetSize).toBe(1);
    const operation = await gce.zoneOperations.get({ project, zone, operation: first.name ?? '' });
    expect(operation.data).toMatchObject({ status: 'DONE', clientOperationId: requestId });
  });

  test('refuses a VM that is not its own, or skips it where that was asked', async () => {
    const { remove, group } = await startWithGroup();
    expect(await httpErrorOf(remove(['other']))).toMatchObject({ status: 400, reason: 'invalid' });
    await remove(['other'], { skipInstancesOnValidationError: true });
    expect(group.targetSize).toBe(2);
  });

  test('shows its new size, and which VMs leave, only when the operation is done', async () => {
    const { gce, at, members, remove, group, clock } = await startWithGroup();
    const size = async () => (await gce.instanceGroupManagers.get(at)).data.targetSize;
    const running = async () => {
      const { items = [] } = (await gce.zoneOperations.list({ project, zone, filter: 'status != "DONE"' })).data;
      return items?.map(({ operationType, targetLink }) => [operationType, targetLink?.split('/').at(-1)]);
    };
    await gce.instanceGroupManagers.resize({ ...at, size: 3 });
    expect([await size(), await running()]).toEqual([2, [['compute.instanceGroupManagers.resize', group.name]]]);
    clock.advance(1_000);
    expect([await size(), await running()]).toEqual([3, []]);
    await remove([...group.members.keys()].slice(0, 1));
    expect((await members()).map(({ currentAction }) => currentAction)).not.toContain('DELETING');
    clock.advance(1_000);
    expect([await size(), (await members())[0]?.currentAction]).toEqual([2, 'DELETING']);
  });

  test('repairs a VM that somebody deletes, under the same name', async () => {
    const { gce, gcp, group, clock } = await startWithGroup();
    const [name = ''] = [...group.members.keys()];
    const before = gcp.model.instances.get(`${zone}/${name}`)?.id;
    await gce.instances.delete({ project, zone, instance: name });
    clock.advance(10_000);
    const after = gcp.model.instances.get(`${zone}/${name}`);
    expect(after?.status).toBe('RUNNING');
    expect(after?.id).not.toBe(before);
  });

  test('without resources tells so in its errors, and goes on trying', async () => {
    const { gke, gcp, gce, at, members, clock, pool } = await startWithGroup();
    gcp.faults.stockOut(zone);
    await gke.setNodePoolSize({ name: pool('web'), nodeCount: 3 });
    clock.advance(8_000);
    const { items = [] } = (await gce.instanceGroupManagers.listErrors(at)).data;
    expect(items.length).toBeGreaterThan(1);
    expect(items?.[0]?.error?.code).toBe('ZONE_RESOURCE_POOL_EXHAUSTED');
    expect((await members()).find(({ currentAction }) => currentAction === 'CREATING')?.instanceStatus).toBeUndefined();
    gcp.faults.clear();
    clock.advance(8_000);
    expect((await members()).map(({ currentAction }) => currentAction)).toEqual(['NONE', 'NONE', 'NONE']);
  });

  test('pages its lists', async () => {
    const { gce, at } = await startWithGroup();
    const first = (await gce.instanceGroupManagers.listManagedInstances({ ...at, maxResults: 1 })).data;
    const pageToken = first.nextPageToken ?? '';
    const second = (await gce.instanceGroupManagers.listManagedInstances({ ...at, maxResults: 1, pageToken })).data;
    expect([first.managedInstances?.length, second.managedInstances?.length]).toEqual([1, 1]);
    expect(second.nextPageToken).toBeUndefined();
  });
});

describe('a VM', () => {
  test('is found by its name in whichever zone it is', async () => {
    const { gce, gcp } = await startWithGroup();
    const wanted = [...gcp.model.instances.values()].find((one) => one.zone === 'europe-west1-c');
    for (const filter of [`name = "${wanted?.name}"`, `name eq ${wanted?.name}`]) {
      const { items } = (await gce.instances.aggregatedList({ project, filter })).data;
      expect(items?.['zones/europe-west1-c']?.instances?.map(({ id }) => id)).toEqual([wanted?.id]);
      expect(items?.['zones/europe-west1-b']?.warning?.code).toBe('NO_RESULTS_ON_PAGE');
    }
    expect(await httpErrorOf(gce.instances.aggregatedList({ project, filter: 'what?' }))).toMatchObject({
      status: 400,
    });
  });

  test('is not told of when its zone is out of reach: the list fails, or has a warning in its place', async () => {
    const { gce, gcp } = await startWithGroup();
    gcp.faults.cutOff('zones/europe-west1-c');
    gcp.faults.cutOff('zones/us-east1-b');
    expect(await httpErrorOf(gce.instances.aggregatedList({ project }))).toMatchObject({ status: 503 });
    const { items, unreachables } = (await gce.instances.aggregatedList({ project, returnPartialSuccess: true })).data;
    expect(items?.['zones/europe-west1-b']?.instances).toHaveLength(2);
    expect(items?.['zones/europe-west1-c']).toMatchObject({ warning: { code: 'UNREACHABLE' } });
    expect(unreachables).toEqual([
      expect.stringMatching(/zones\/europe-west1-c$/),
      expect.stringMatching(/zones\/us-east1-b$/),
    ]);
    expect(await httpErrorOf(gce.instances.list({ project, zone: 'europe-west1-c' }))).toMatchObject({ status: 503 });
    expect((await gce.backendServices.aggregatedList({ project })).data.unreachables).toBeUndefined();
  });

  test('that is not there is notFound', async () => {
    const { gce } = await startWithGroup();
    expect(await httpErrorOf(gce.instances.get({ project, zone, instance: 'nope' }))).toEqual({
      status: 404,
      reason: 'notFound',
      message: `The resource 'projects/lab-project/zones/${zone}/instances/nope' was not found`,
    });
  });
});

test.each([
  ['rate-limit', 403, 'rateLimitExceeded'],
  ['too-many', 429, 'rateLimitExceeded'],
  ['unavailable', 503, 'backendError'],
  ['forbidden', 403, 'forbidden'],
] as const)('a fault %s is %i %s', async (kind, status, reason) => {
  const { gcp, remove } = await startWithGroup();
  gcp.faults.fail(kind, { method: 'instanceGroupManagers.deleteInstances' });
  expect(await httpErrorOf(remove(['x'], { skipInstancesOnValidationError: true }))).toMatchObject({ status, reason });
  expect(gcp.requests.at(-1)).toMatchObject({ service: 'compute', outcome: String(status), input: { requestId } });
});

test('what has no model is refused by name', async () => {
  const { gce } = await startWithGroup();
  expect(await httpErrorOf(gce.disks.list({ project, zone }))).toMatchObject({ status: 501 });
});

test('the metadata server gives tokens to whoever asks as its clients do', async () => {
  const { gcp } = await startWithGroup();
  const url = `http://${gcp.metadataHost}/computeMetadata/v1/instance/service-accounts/default/token`;
  expect((await fetch(url)).status).toBe(403);
  const answer = await fetch(url, { headers: { 'Metadata-Flavor': 'Google' } });
  expect(await answer.json()).toMatchObject({ token_type: 'Bearer' });
});
