import { NodeferryError } from '../../core/model/problem.ts';
import { keepsTarget } from '../../core/policy/members.ts';
import { type Policy, poolRefOf } from '../../core/policy/policy.ts';
import { requireCapability } from '../../operations/pools-by-provider.ts';
import type { ProviderPools } from '../../ports/provider.ts';
import type { Check } from './check.ts';
import { explainFailure, type TimeLimit } from './time-limit.ts';

/** Checks that the pool of the policy exists, with the caller's credentials. */
export async function checkPool(pools: ProviderPools, policy: Policy, limit: TimeLimit): Promise<Check> {
  const id = 'cloud.pool';
  const { cluster, pool } = policy;
  const where = `cluster ${cluster.name} in ${cluster.region}`;
  try {
    const found = await limit.race('ProviderUnavailable', pools.findPool(poolRefOf(policy)));
    if (found !== undefined) return { id, state: 'ok', found: `pool ${pool.name} of ${where} is ${found.status}` };
  } catch (error) {
    return { id, state: 'failed', ...explainFailure(error) };
  }
  return {
    id,
    state: 'failed',
    found: `there is no pool ${pool.name} in ${where}`,
    fix: `Correct spec.pool.name or spec.cluster of the policy. The pools of the cluster:\n${pools.traitsOf(pool).listPools(poolRefOf(policy))}`,
  };
}

/** Checks what the caller may do, where the cloud tells that. The worker has an identity of its own, so nothing here is worse than a warning. */
export async function checkCloudPermissions(pools: ProviderPools, policy: Policy): Promise<readonly Check[]> {
  const id = 'cloud.role';
  try {
    const missing = await pools.capabilitiesOf(policy.pool).findMissingPermissions?.(poolRefOf(policy));
    if (missing === undefined) return [];
    if (missing.length === 0) return [{ id, state: 'ok', found: 'you may do everything that a worker needs' }];
    const fix = `A worker has an identity of its own, which needs the role in deploy/iam. Run doctor as that one, or grant it to whoever runs plan and cleanup.`;
    return [{ id, state: 'warning', found: `you lack what a worker needs: ${missing.join(', ')}`, fix }];
  } catch (error) {
    return [{ id, state: 'warning', ...explainFailure(error) }];
  }
}

/** Checks that the pool to adopt exists, or whether the caller may create the new pool. */
export async function checkTarget(pools: ProviderPools, policy: Policy): Promise<readonly Check[]> {
  if (policy.adoptTarget === true) return await checkAdopted(pools, policy);
  return keepsTarget(policy) ? [] : await checkMayCreate(pools, policy);
}

async function checkAdopted(pools: ProviderPools, { target, ...policy }: Policy): Promise<readonly Check[]> {
  const id = 'cloud.target';
  const found = await pools.findPool({ ...poolRefOf(policy), name: target.poolName });
  if (found !== undefined) return [{ id, state: 'ok', found: `pool ${target.poolName} to adopt is ${found.status}` }];
  const fix = 'Correct spec.target.poolName, create the pool, or remove spec.target.adopt.';
  return [{ id, state: 'failed', found: `there is no pool ${target.poolName} to adopt`, fix }];
}

/** Checks, as far as the cloud can say beforehand, whether the caller may create the new pool. The worker has a role of its own, so a refusal is only a warning. */
async function checkMayCreate(pools: ProviderPools, policy: Policy): Promise<readonly Check[]> {
  const id = 'cloud.permissions';
  try {
    const source = poolRefOf(policy);
    await requireCapability(pools, source, 'replacement').requireMayCreate({ source, target: policy.target });
    return [
      {
        id,
        state: 'ok',
        found: `the cloud has nothing against creating pool ${policy.target.poolName}, as far as it says beforehand`,
      },
    ];
  } catch (error) {
    if (!(error instanceof NodeferryError)) throw error;
    if (error.problem.code === 'Forbidden') return [{ id, state: 'warning', ...explainFailure(error) }];
    if (error.problem.code === 'ProviderRefused') return [{ id, state: 'failed', ...explainFailure(error) }];
    throw error;
  }
}
