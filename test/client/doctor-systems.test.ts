import { describe, expect, test } from 'vitest';
import type { Check } from '../../client/doctor/check.ts';
import { checkPolicy } from '../../client/doctor/policy.ts';
import { checkSystems } from '../../client/doctor/policy-systems.ts';
import { withTimeLimit } from '../../client/doctor/time-limit.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { addIdlePool, createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';

const policy = scenarioPolicy();

/** The systems of a world, as a caller has them who may do everything. */
function systemsOf(world: World) {
  const { cluster, pools, clock } = createSimPorts(world);
  const readVersion = async () => 'v1.36.1';
  return { cluster: { ...cluster, readVersion, findMissingPermissions: async () => [] as string[] }, pools, clock };
}

/** A question of somebody who knows that these runs are under way. */
function questionOf(...running: readonly string[]) {
  return { policy, readRunning: async () => new Set(running) };
}

async function leave(world: World, run: string, index: number): Promise<void> {
  const { cluster } = createSimPorts(world);
  const node = (await cluster.observe()).nodes[index];
  if (node === undefined) throw new Error('the world has no such node');
  await cluster.cordon(node, run);
}

function find(checks: readonly Check[], id: string): Check | undefined {
  return checks.find((check) => check.id === id);
}

describe('checkSystems', () => {
  test('finds everything in order', async () => {
    const checks = await checkSystems(systemsOf(createScenario()), questionOf());

    expect(checks.map(({ id, state }) => `${id} ${state}`)).toEqual([
      'cluster.api-server ok',
      'cluster.permissions ok',
      'leftovers ok',
      'cloud.pool ok',
      'cloud.permissions ok',
    ]);
    expect(find(checks, 'cluster.api-server')?.found).toBe('Kubernetes v1.36.1');
  });

  test.each([
    ['says that you may do what a worker needs', async () => [], 'ok', 'you may do everything that a worker needs'],
    [
      'warns of permissions that you lack',
      async () => ['compute.regions.get', 'container.clusters.update'],
      'warning',
      'you lack what a worker needs: compute.regions.get, container.clusters.update',
    ],
    [
      'warns where that can’t be asked',
      async () => {
        throw new NodeferryError({ code: 'Forbidden', message: 'project p: the API is disabled' });
      },
      'warning',
      'project p: the API is disabled',
    ],
  ] as const)('%s, where the cloud tells it', async (_what, findMissingPermissions, state, found) => {
    const systems = systemsOf(createScenario());
    const capabilitiesOf = () => ({ ...systems.pools.capabilitiesOf(policy.pool), findMissingPermissions });
    const pools = { ...systems.pools, capabilitiesOf };
    const checks = await checkSystems({ ...systems, pools }, questionOf());
    expect(find(checks, 'cloud.role')).toMatchObject({ state, found });
    expect(find(checks, 'cloud.permissions')?.state).toBe('ok');
  });

  test('warns of what runs have left that have ended, but not of what a run under way needs', async () => {
    const world = createScenario();
    await leave(world, 'run-old', 0);
    await leave(world, 'run-now', 1);
    const node = world.nodes[0]?.name ?? '';
    const name = `${policy.cluster.name}/${policy.pool.name}`;
    const cleanup = `nodeferry cleanup ${name} --provider eks --region ${policy.cluster.region}`;

    expect(find(await checkSystems(systemsOf(world), questionOf('run-now')), 'leftovers')).toEqual({
      id: 'leftovers',
      state: 'warning',
      found: `runs that have ended have left 1 thing on ${name}: node ${node}: uncordon`,
      fix: `See all of it, and remove it:\n${cleanup}\n${cleanup} --yes`,
    });
    expect(find(await checkSystems(systemsOf(world), questionOf('run-now', 'run-old')), 'leftovers')?.state).toBe('ok');
  });

  test('names what another provider needs to find the pool in the command that removes it', async () => {
    const world = createScenario();
    await leave(world, 'run-old', 0);
    const toys: Policy = {
      ...policy,
      cluster: { ...policy.cluster, shelf: 'top' },
      pool: { ...policy.pool, provider: 'toy' },
    };

    const checks = await checkSystems(systemsOf(world), { ...questionOf(), policy: toys });

    expect(find(checks, 'leftovers')?.fix).toContain(
      `nodeferry cleanup ${policy.cluster.name}/web --provider toy --region ${policy.cluster.region} --shelf top --yes`,
    );
  });

  test('does not call anything left over while it is not known which runs are under way', async () => {
    const world = createScenario();
    await leave(world, 'run-1', 0);
    const readRunning = async () => {
      throw new NodeferryError({ code: 'TemporalUnreachable', message: 'nothing listens there' });
    };

    const checks = await checkSystems(systemsOf(world), { policy, readRunning });

    expect(find(checks, 'leftovers')).toEqual({ id: 'leftovers', state: 'unknown', found: 'nothing listens there' });
  });

  test('warns of permissions that the caller lacks', async () => {
    const systems = systemsOf(createScenario());
    const findMissingPermissions = async () => ['patch nodes', 'create pods/eviction'];

    const checks = await checkSystems(
      { ...systems, cluster: { ...systems.cluster, findMissingPermissions } },
      questionOf(),
    );

    expect(find(checks, 'cluster.permissions')).toMatchObject({
      state: 'warning',
      found: 'your role does not allow what a worker needs: patch nodes, create pods/eviction',
      fix: expect.stringContaining('\nkubectl auth can-i --list --as=system:serviceaccount:nodeferry:nodeferry'),
    });
  });

  test('says how to list the pools where there is no such pool', async () => {
    const question = { ...questionOf(), policy: { ...policy, pool: { ...policy.pool, name: 'wbe' } } };

    const checks = await checkSystems(systemsOf(createScenario()), question);

    expect(find(checks, 'cloud.pool')).toMatchObject({
      state: 'failed',
      found: expect.stringMatching(/^there is no pool wbe in cluster /),
      fix: expect.stringContaining('\naws eks list-nodegroups --region '),
    });
  });

  test('finds the pool to adopt instead of asking whether one may be created', async () => {
    const world = createScenario();
    const adopting = { ...questionOf(), policy: { ...policy, adoptTarget: true as const } };

    const missing = await checkSystems(systemsOf(world), adopting);
    addIdlePool(world, policy.target.poolName, 1);
    const found = await checkSystems(systemsOf(world), adopting);

    expect(find(missing, 'cloud.target')).toMatchObject({
      state: 'failed',
      found: 'there is no pool web-new to adopt',
    });
    expect(find(found, 'cloud.target')).toMatchObject({ state: 'ok', found: 'pool web-new to adopt is active' });
    expect(find(found, 'cloud.permissions')).toBeUndefined();
  });

  test('checks the cloud although the cluster does not answer, and the cluster although the policy is not valid', async () => {
    const systems = systemsOf(createScenario());
    const readVersion = async () => {
      throw new NodeferryError({ code: 'ClusterUnreachable', message: 'connect ECONNREFUSED', hint: 'Start it.' });
    };
    const down = { ...systems, cluster: { ...systems.cluster, readVersion } };
    const statesOf = (checks: readonly Check[]) => checks.map(({ state }) => state);

    const withoutCluster = await checkSystems(down, questionOf());
    const withoutPolicy = await checkSystems(systems, { ...questionOf(), policy: undefined });

    expect(statesOf(withoutCluster)).toEqual(['failed', 'unknown', 'unknown', 'ok', 'ok']);
    expect(withoutCluster[0]).toMatchObject({ found: 'connect ECONNREFUSED', fix: 'Start it.' });
    expect(statesOf(withoutPolicy)).toEqual(['ok', 'ok', 'unknown', 'unknown', 'unknown']);
  });
});

test('a policy that is not valid is a failed check, and so is one that can not be read', () => {
  expect(checkPolicy('examples/nowhere.yaml')).toMatchObject({ check: { state: 'failed' } });
  expect(checkPolicy('package.json')).toMatchObject({
    check: { id: 'policy', state: 'failed', fix: 'See all:\nnodeferry validate -f package.json' },
  });
});

test('a check that takes too long is unknown, and those before it stay', async () => {
  const never = async () => await new Promise<readonly Check[]>(() => undefined);
  const done: Check = { id: 'quick', state: 'ok', found: 'it is there' };

  const checks = await withTimeLimit('Temporal', 20, async (limit) =>
    Promise.all([limit.check('quick', async () => [done]), limit.check('slow', never)]),
  );

  expect(checks.flat()).toEqual([
    done,
    { id: 'slow', state: 'unknown', found: 'Temporal did not answer within 0.02 s' },
  ]);
});
