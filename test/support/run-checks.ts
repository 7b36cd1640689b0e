import type { WorkflowHandle } from '@temporalio/client';
import { expect } from 'vitest';
import type { RunReport } from '../../core/status/status.ts';
import { ownershipOf } from '../simulator/cluster-port.ts';
import type { World } from '../simulator/world.ts';
import type { Harness, UpgradeFunction } from './temporal-harness.ts';

/** I3: nothing of any run is left on any object, and as many machines run as before. */
export function expectNothingLeft(world: World, instances: number): void {
  expect(ownershipOf(world)).toEqual([]);
  expect([...world.leases.keys()]).toEqual([]);
  expect(world.nodes.filter((node) => node.cordoned).map((node) => node.name)).toEqual([]);
  expect(world.pools.flatMap((pool) => pool.suspended)).toEqual([]);
  expect(world.instances.filter((instance) => instance.state === 'running')).toHaveLength(instances);
  expect(world.pools.reduce((sum, pool) => sum + pool.desiredSize, 0)).toBe(instances);
}

/** I2, I4 and the promise itself: order kept, no machine ended twice, no request lost, no connection cut. */
export function expectNothingLost(world: World): void {
  expect(world.violations, world.log.join('\n')).toEqual([]);
  expect({ lost: world.traffic.lost, cut: world.traffic.cut }, world.log.join('\n')).toEqual({ lost: 0, cut: 0 });
  expect([...world.terminations.values()].filter((times) => times !== 1)).toEqual([]);
}

/** The report of a run that failed, out of its failure. */
export async function failureOfRun(
  handle: WorkflowHandle<UpgradeFunction>,
): Promise<{ type: string | undefined; report: RunReport }> {
  try {
    await handle.result();
  } catch (error) {
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    if (cause instanceof Error && 'type' in cause && 'details' in cause && Array.isArray(cause.details)) {
      return { type: String(cause.type), report: cause.details[1] as RunReport };
    }
    throw error;
  }
  throw new Error('the run did not fail');
}

/** History events of the run and all its nodes. */
export async function countEvents(
  harness: Harness,
  handle: WorkflowHandle<UpgradeFunction>,
  report: RunReport,
): Promise<number> {
  const ids = [handle.workflowId, ...report.nodes.flatMap((node) => node.workflowId ?? [])];
  const histories = await Promise.all(ids.map(async (id) => await harness.workflow(id).fetchHistory()));
  return histories.reduce((sum, history) => sum + (history.events?.length ?? 0), 0);
}
