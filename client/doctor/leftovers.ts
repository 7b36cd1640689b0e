import { explainCleanupAction } from '../../core/cleanup/plan-cleanup.ts';
import { type Policy, poolRefOf } from '../../core/policy/policy.ts';
import { count, listNames } from '../../core/text/format.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import type { ProviderPools } from '../../ports/provider.ts';
import { type CleanupTarget, findLeftoversOf } from '../cleanup.ts';
import type { Check } from './check.ts';

/** On which systems leftovers are searched for. */
interface LeftoverSystems {
  readonly cluster: Cluster;
  readonly pools: ProviderPools;
  readonly clock: Clock;
}

/** Checks that no run that has ended has left ownership marks on the pool. `running` names the runs that are under way; they need theirs. */
export async function checkLeftovers(
  systems: LeftoverSystems,
  policy: Policy,
  running: ReadonlySet<string>,
): Promise<readonly Check[]> {
  const id = 'leftovers';
  const name = `${policy.cluster.name}/${policy.pool.name}`;
  const { name: pool, ...where } = poolRefOf(policy);
  const target = { ...where, pool };
  const { actions, stays, waits } = await findLeftoversOfEnded(systems, target, running);
  if (actions.length + stays.length + waits.length === 0)
    return [{ id, state: 'ok', found: `no run that has ended has left anything on ${name}` }];
  const command = `nodeferry cleanup ${name}${optionsOf(target)}`;
  const what = [...actions.map(explainCleanupAction), ...waits, ...stays];
  return [
    {
      id,
      state: 'warning',
      found: `runs that have ended have left ${count(what.length, 'thing')} on ${name}: ${listNames(what, 2)}`,
      fix: `See all of it, and remove it:\n${command}\n${command} --yes`,
    },
  ];
}

/** What `cleanup` has to be told to find the pool. */
function optionsOf({ provider, region, locator = {} }: Omit<CleanupTarget, 'runs'>): string {
  return Object.entries({ provider, region, ...locator })
    .map(([name, value]) => ` --${name} ${value}`)
    .join('');
}

async function findLeftoversOfEnded(
  systems: LeftoverSystems,
  target: Omit<CleanupTarget, 'runs'>,
  running: ReadonlySet<string>,
) {
  const all = await findLeftoversOf(systems, { ...target, runs: undefined });
  const ended = all.runs.filter((run) => !running.has(run));
  if (ended.length === all.runs.length) return all;
  if (ended.length === 0) return { actions: [], stays: [], waits: [] };
  const left = await findLeftoversOf(systems, { ...target, runs: ended });
  // Suspended scaling has no owner: the run that is under way may need it.
  return { ...left, actions: left.actions.filter(({ kind }) => kind !== 'restore-scaling') };
}
