import type { InstanceFacts } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { isLopsided } from '../../core/surge/balance.ts';
import type { SimPool } from './world.ts';

const moving = 'AZRebalance';
const launching = 'Launch';

/** What Auto Scaling does to the instances of a group on its own. */
const processes = [moving, 'ReplaceUnhealthy', 'AlarmNotification', 'ScheduledActions', 'InstanceRefresh'];

/** Suspends what others have not and lowers the minimum to zero. Returns both, also when that was done before. */
export function hold(pool: SimPool): readonly string[] {
  if (!pool.scales) {
    throw new NodeferryError({ code: 'Conflict', message: `node group ${pool.name} has no Auto Scaling group yet` });
  }
  const known = pool.suspendedByRun ?? [];
  const free = processes.filter((process) => !pool.suspended.includes(process));
  const entries = [...known, ...free, ...(pool.minSize > 0 ? [minimumEntry(pool.ownersMinSize ?? pool.minSize)] : [])];
  if (entries.length === 0) return [];
  pool.suspended.push(...free);
  pool.minSize = 0;
  pool.suspendedByRun = entries;
  return entries;
}

/** Restores what was suspended, and what the caller says was, but moves no instance that serves. Returns what stays suspended, as text. */
export function release(pool: SimPool, given: readonly string[], members: readonly InstanceFacts[]): readonly string[] {
  if (pool.status === 'deleting' || !pool.scales) return [];
  const entries = [...new Set([...(pool.suspendedByRun ?? []), ...given])];
  const size = minimumIn(entries) ?? pool.ownersMinSize;
  delete pool.ownersMinSize;
  if (size !== undefined) pool.minSize = Math.min(size, pool.desiredSize);
  const living = members.filter(({ state }) => state === 'pending' || state === 'running');
  const isBalanced = pool.needs !== undefined || !isLopsided(living, pool.zones);
  const stays = entries.includes(moving) && !isBalanced;
  pool.suspended = pool.suspended.filter((process) => !entries.includes(process) || (stays && process === moving));
  if (stays) pool.suspendedByRun = [moving];
  else delete pool.suspendedByRun;
  return stays ? [`pool ${pool.name}: ${moving} stays suspended`] : [];
}

/** Instances that never came are not waited for any more, and none is launched before the scaling is restored. */
export function trimPool(pool: SimPool, members: readonly InstanceFacts[]): void {
  const living = members.filter(({ state }) => state === 'pending' || state === 'running').length;
  if (living >= pool.desiredSize) return;
  if (!pool.suspended.includes(launching)) {
    pool.suspendedByRun = [...(pool.suspendedByRun ?? []), launching];
    pool.suspended.push(launching);
  }
  pool.desiredSize = living;
  pool.minSize = Math.min(pool.minSize, living);
}

/** Lets the pool launch again where a run has stopped that; refuses where somebody else has. */
export function allowLaunching(pool: SimPool): void {
  if (!pool.suspended.includes(launching)) return;
  if (pool.suspendedByRun?.includes(launching) !== true) {
    const message = `node group ${pool.name} launches no instances: somebody has suspended ${launching}`;
    throw new NodeferryError({ code: 'ProviderRefused', message, hint: `Resume ${launching}.` });
  }
  pool.suspended = pool.suspended.filter((process) => process !== launching);
}

/** The minimum that the pool's owner chose, whether or not its scaling is suspended, or raised by its run. */
export function ownersMinimum(pool: SimPool): number {
  return minimumIn(pool.suspendedByRun ?? []) ?? pool.ownersMinSize ?? pool.minSize;
}

/** What of the pool a run has changed; undefined when nothing is. */
export function changedByRun({ suspendedByRun, ownersMinSize }: SimPool): readonly string[] | undefined {
  return suspendedByRun ?? (ownersMinSize === undefined ? undefined : [minimumEntry(ownersMinSize)]);
}

function minimumEntry(size: number): string {
  return `min-size:${size}`;
}

/** What is suspended, in words. */
export function explainHeld(entries: readonly string[]): readonly string[] {
  return entries.map((entry) => entry.replace('min-size:', 'minimum size '));
}

function minimumIn(entries: readonly string[]): number | undefined {
  const entry = entries.find((one) => one.startsWith('min-size:'));
  return entry === undefined ? undefined : Number(entry.slice('min-size:'.length));
}
