import type { PoolRef } from '../../../core/model/pool.ts';
import type { ZonedSize } from '../../../core/surge/zoned-size.ts';
import type { ManagedNodePools } from '../../../ports/node-pools.ts';

/** A cloud's pools behind the port, and what the cloud and others do to them. */
export interface PoolsSubject {
  readonly pools: ManagedNodePools;
  /** Four instances in two zones, at least two of them and at most eight; nothing is suspended on it. */
  readonly web: PoolRef;
  /** Two instances, at least one. */
  readonly other: PoolRef;
  readonly cloud: CloudActs;
  close(): Promise<void>;
}

/** What the cloud does by itself, and what people do in it. */
interface CloudActs {
  /** Time passes in which the cloud finishes what it does, or gives it up. */
  settle(): void;
  /** Time passes in which it begins what it was asked to do, and no more. */
  begin(): void;
  refuseLaunches(): void;
  allowLaunches(): void;
  /** Somebody suspends a process that adds, moves or replaces instances of the pool. */
  suspend(pool: PoolRef, process: string): Promise<void>;
  /** The processes that rest, by whomever they were suspended. */
  suspended(pool: PoolRef): readonly string[];
  /** The fewest instances that an autoscaler of the cluster leaves in the pool now. */
  fewest(pool: PoolRef): number;
  /** Somebody ends an instance behind the pool's back. */
  terminateInstance(instanceId: string): Promise<void>;
}

/** Opens a subject of its own for one case. */
export type OpenPools = () => Promise<PoolsSubject>;

/** Name of the pool that cases create. */
const replacementName = 'web-new';

/** Asks for a replacement of `web`, like it but for what is named. */
export async function createPool(
  { pools, web }: PoolsSubject,
  {
    run = 'run-1',
    size = 4,
    poolName = replacementName,
    zones,
  }: { run?: string; size?: number; poolName?: string; zones?: ZonedSize } = {},
): Promise<PoolRef> {
  const target = { poolName, version: '1.36', releaseVersion: undefined, launchTemplateVersion: undefined };
  await pools.replacement.createPool({
    source: web,
    target,
    size,
    ...(zones && { zones }),
    run,
    token: `${run}/surge`,
  });
  return { ...web, name: poolName };
}

/** Instances of the pool that are neither ending nor gone. */
export async function liveInstances({ pools }: PoolsSubject, pool: PoolRef): Promise<readonly string[]> {
  return (await pools.observeInstances(pool))
    .filter(({ state }) => state === 'pending' || state === 'running')
    .map(({ instanceId }) => instanceId);
}
