import { NodeferryError } from '../../core/model/problem.ts';
import { type Policy, poolRefOf } from '../../core/policy/policy.ts';
import type { NodePools } from '../../ports/node-pools.ts';
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

/** Checks, as far as the cloud can say beforehand, whether the caller may create the new pool. The worker has a role of its own, so a refusal is only a warning. */
export async function checkMayCreate(pools: NodePools, policy: Policy): Promise<readonly Check[]> {
  const id = 'cloud.permissions';
  try {
    await pools.requireMayCreate({ source: poolRefOf(policy), target: policy.target });
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
