import type { NodeRef } from '../core/model/node.ts';
import { liveInstances, type PoolRef } from '../core/model/pool.ts';
import type { PlanInBrief } from '../core/plan/pool-plan.ts';
import { readCapacityWait } from '../core/status/checkpoint.ts';
import { decideCapacity } from '../core/surge/missing-capacity.ts';
import { divideByNeed, type ZonedSize } from '../core/surge/zoned-size.ts';
import { decideNodesRegistered, newNodesIn } from '../core/waits/surge.ts';
import { findUnjoined, selectUnjoined } from '../core/waits/unjoined.ts';
import type { Observer } from '../operations/observer.ts';
import { requireCapability } from '../operations/pools-by-provider.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Ports } from '../ports/ports.ts';
import { beforeEachChange, openLooseFence, type PoolStepInput } from './fence.ts';
import { requireNodesGone } from './node-actions.ts';
import { type Outcome, type Poll, type PollContext, pollUntil, retryUntilDone } from './polling.ts';
import { nodeRefOf } from './refs.ts';

/** The old pool of a run that is rolled back, while it gets its size again. */
interface OldNodesInput {
  readonly plan: PlanInBrief;
  /** The size of the pool when the run was planned. */
  readonly size: number;
  /** How many of its nodes the run has replaced: it waits for no more. */
  readonly replaced: number;
  /** IDs of instances that the pool has kept. */
  readonly known: readonly string[];
}

/** The old pool of a rollback that no longer waits for its instances. */
interface UnjoinedInput extends PoolStepInput {
  readonly pool: PoolRef;
  /** The size of the pool when the run was planned. */
  readonly size: number;
  /** IDs of instances that the pool has kept. */
  readonly known: readonly string[];
}

const hint =
  'Check the capacity of the cloud, and why instances do not join; then resume, which replaces those that have not. Or abort the run: then as many new nodes stay as old ones are missing.';

/** Steps of a rollback that concern the old pool. */
export function createOldPoolSteps(ports: Ports<Fencing>, observer: Observer) {
  const { clock, cluster, pools } = ports;
  return {
    /** Requests the instances that the old pool had in the plan, by zone where its zones differ. Its size never goes down. */
    restoreSize: async (
      input: PoolStepInput & { pool: PoolRef; size: number; zones?: ZonedSize },
    ): Promise<Outcome> => {
      const { pool, size, zones } = input;
      const fence = openLooseFence(cluster, input);
      return await retryUntilDone(
        { clock, what: `restoring the size of ${pool.name}`, hint: 'Check quotas and permissions.' },
        async () => {
          await fence.check();
          const request = { size, ...(zones && { zones: divideByNeed(size, zones) }), ...beforeEachChange(fence) };
          await requireCapability(pools, pool, 'size').restoreSize(pool, request);
          return {};
        },
      );
    },

    /**
     * Waits until the instances that the old pool got again are Ready, their DaemonSet pods too, and registered in every target group, as
     * new nodes are waited for. Without capacity for them it fails once no further one has become Ready for a while.
     */
    awaitOldNodes: async (input: OldNodesInput): Promise<Outcome<{ nodes: readonly NodeRef[] }>> => {
      const { plan } = input;
      const { deadlines, pollIntervalMs } = plan.policy.waits;
      return await pollUntil<{ nodes: readonly NodeRef[] }>({
        clock,
        what: `new nodes of ${plan.oldPool.name} to be ready`,
        deadlineMs: deadlines.nodesReadyMs,
        pollIntervalMs,
        hint,
        poll: async (context) => await observeOldNodes(input, context),
      });
    },

    /**
     * Terminates the instances that the old pool got again and that have not become nodes: the cloud does not notice that they serve nobody. Returns
     * their IDs. The size of the pool falls with each; `restoreSize` then requests others.
     */
    endUnjoined: async (input: UnjoinedInput): Promise<Outcome<{ ended: readonly string[] }>> => {
      const { pool: ref, size, known } = input;
      const fence = openLooseFence(cluster, input);
      return await retryUntilDone(
        { clock, what: `terminating instances of ${ref.name} that are not nodes`, hint: 'Resume to retry.' },
        async () => {
          await fence.check();
          const pool = await pools.findPool(ref);
          // Read after the instances: one that joins in between is a node.
          const { nodes } = await observer.cluster();
          if (pool === undefined) return { ended: [] };
          const ended = selectUnjoined({ pool, nodes, known, size });
          // Those that it has kept are nodes, unless this worker observes another cluster.
          const lost = findUnjoined(pool, nodes).filter((id) => known.includes(id));
          if (ended.length > 0) await requireNodesGone(pools, ref, lost);
          for (const instanceId of ended) {
            await fence.check();
            await pools.terminateInstance(ref, instanceId);
          }
          return { ended };
        },
      );
    },
  };

  async function observeOldNodes(
    { plan, size, replaced, known }: OldNodesInput,
    { now, checkpoint }: PollContext,
  ): Promise<Poll<{ nodes: readonly NodeRef[] }>> {
    const { oldPool, policy } = plan;
    const pool = await pools.findPool(oldPool);
    const facts = await observer.serving(plan);
    if (pool === undefined) return { done: false, reason: `${oldPool.name} is not there` };
    const { problems, instances } = pool;
    const live = liveInstances(pool);
    const stayed = live.filter((id) => known.includes(id)).length;
    const expected = Math.min(replaced, Math.max(0, size - stayed));
    const question = { facts, policy, expected, besides: known, instances };
    const decision = decideNodesRegistered(question);
    const ready = newNodesIn(question).filter((node) => node.ready);
    if (decision.done) return { done: true, value: { nodes: ready.map(nodeRefOf) } };
    const reason = [...problems, decision.reason].join('; ');
    if (live.length >= pool.desiredSize) return { done: false, reason, checkpoint: {} };
    const { goOn: isHopeless, capacityWait } = decideCapacity({
      pool,
      ready: ready.length,
      enough: 0,
      before: readCapacityWait(checkpoint),
      now,
      waits: policy.waits,
    });
    const message = `${oldPool.name} does not get its instances again: ${reason}`;
    const problem = { code: 'CapacityUnavailable', message, hint } as const;
    return { done: false, reason, checkpoint: { capacityWait }, ...(isHopeless ? { problem } : {}) };
  }
}
