import type { NodeRef } from '../core/model/node.ts';
import { liveInstances, type PoolRef, type SuspensionToken } from '../core/model/pool.ts';
import type { PlanInBrief } from '../core/plan/pool-plan.ts';
import { countKept, decideScaleIn } from '../core/plan/scale-in.ts';
import { oldInstances, oldNodes } from '../core/policy/members.ts';
import { listNames } from '../core/text/format.ts';
import type { Observer } from '../operations/observer.ts';
import { requireCapability } from '../operations/pools-by-provider.ts';
import { severalAtATime } from '../operations/several-at-a-time.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Ports } from '../ports/ports.ts';
import { beforeEachChange, type Fence, openLooseFence, openPoolFence, type PoolStepInput } from './fence.ts';
import { requireNodesGone } from './node-actions.ts';
import { type Outcome, pollUntil, retryUntilDone } from './polling.ts';
import { nodeRefOf } from './refs.ts';

/** The new pool from which nodes leave. */
interface PlanScaleInInput extends PoolStepInput {
  readonly pool: PoolRef;
  /** This many new nodes stay. */
  readonly keep: number;
  readonly back?: { readonly known: readonly string[] };
  /** IDs of instances that the run has seen as nodes, whichever pool they are of; absent in runs of older versions. */
  readonly joined?: readonly string[];
}

/** `onlyIfCreatedBy`: it is deleted only if this run has created it. */
type DeletePoolInput = PoolStepInput & {
  readonly pool: PoolRef;
  readonly onlyIfCreatedBy?: string;
  readonly joined?: PlanScaleInInput['joined'];
};

/** Steps that concern a whole pool. */
export function createPoolSteps(ports: Ports<Actions & Fencing>, observer: Observer) {
  const { clock, cluster, pools } = ports;

  async function requestDeletion({ pool, onlyIfCreatedBy }: DeletePoolInput, fence: Fence): Promise<void> {
    await fence.check();
    const options = { ...(onlyIfCreatedBy && { onlyIfCreatedBy }), ...beforeEachChange(fence) };
    await requireCapability(pools, pool, 'replacement').deletePool(pool, options);
  }

  return {
    /**
     * Stops the cloud from replacing instances of the pool by itself. Returns what was suspended, the same on every call; nothing where it does not.
     * While the run has lost the pool that it replaces, it waits there; new nodes are removed all the same from another, which is `new`.
     */
    suspendScaling: async (
      input: PoolStepInput & { pool: PoolRef; role: 'old' | 'new' },
    ): Promise<Outcome<{ suspended?: SuspensionToken }>> => {
      const fence = (input.role === 'new' ? openLooseFence : openPoolFence)(cluster, input);
      return await retryUntilDone<{ suspended?: SuspensionToken }>(
        { clock, what: `suspending scaling of ${input.pool.name}`, hint: pools.traitsOf(input.pool).scalingHint },
        async () => {
          const { scaling } = pools.capabilitiesOf(input.pool);
          if (scaling === undefined) return {};
          return { suspended: await scaling.suspend(input.pool, beforeEachChange(fence)) };
        },
        fence.around,
      );
    },

    /**
     * Restores what was suspended, and still is if the pool is gone. Without a token, restores what the pool itself has recorded. `kept`: what stays
     * suspended on purpose, as text, because restoring it would terminate an instance that serves.
     */
    restoreScaling: async (
      input: PoolStepInput & { pool: PoolRef; suspended?: SuspensionToken },
    ): Promise<Outcome<{ kept: readonly string[] }>> => {
      const fence = openLooseFence(cluster, input);
      return await retryUntilDone(
        { clock, what: `restoring scaling of ${input.pool.name}`, hint: pools.traitsOf(input.pool).scalingHint },
        async () => {
          const { scaling } = pools.capabilitiesOf(input.pool);
          if (scaling === undefined) return { kept: [] };
          await fence.check();
          return { kept: await scaling.restore(input.pool, input.suspended) };
        },
      );
    },

    /** Cordons the nodes. Returns the names of those that somebody else had cordoned before. */
    cordonNodes: async (
      input: PoolStepInput & { nodes: readonly NodeRef[] },
    ): Promise<Outcome<{ foreign: readonly string[] }>> => {
      const { check, around } = openLooseFence(cluster, input);
      const acting = cluster.guarded(check);
      return await retryUntilDone(
        { clock, what: 'cordoning', hint: 'Check access to nodes.' },
        async () => {
          const foreign = new Set<string>();
          await severalAtATime(input.nodes, async (node) => {
            if ((await acting.cordon(node, input.run)) === 'already') foreign.add(node.name);
          });
          return { foreign: input.nodes.map(({ name }) => name).filter((name) => foreign.has(name)) };
        },
        around,
      );
    },

    /** Finds the nodes that the old pool still has. Waits for an instance that is not a node yet: it may serve as soon as it is one. */
    findLateJoiners: async ({ plan }: { plan: PlanInBrief }): Promise<Outcome<{ nodes: readonly NodeRef[] }>> => {
      const { oldPool, policy } = plan;
      return await pollUntil<{ nodes: readonly NodeRef[] }>({
        clock,
        what: `instances of ${oldPool.name} to join or end`,
        deadlineMs: policy.waits.deadlines.nodesReadyMs,
        pollIntervalMs: policy.waits.pollIntervalMs,
        hint: 'Terminate the instances that are named, or find out why they do not join; then resume.',
        poll: async () => {
          const pool = await pools.findPool(oldPool);
          const nodes = oldNodes(await observer.cluster(), policy);
          if (nodes.length > 0) return { done: true, value: { nodes: nodes.map(nodeRefOf) } };
          // Somebody may have deleted the pool, now that it is empty.
          const coming = liveInstances({ instances: oldInstances(pool?.instances ?? [], policy) });
          if (coming.length === 0) return { done: true, value: { nodes: [] } };
          return { done: false, reason: `instances of ${oldPool.name} that are not nodes yet: ${listNames(coming)}` };
        },
      });
    },

    /** Removes our cordons; those of others stay. */
    uncordonNodes: async (input: PoolStepInput & { nodes: readonly NodeRef[] }): Promise<Outcome> => {
      const { check, around } = openLooseFence(cluster, input);
      const acting = cluster.guarded(check);
      return await retryUntilDone(
        { clock, what: 'uncordoning', hint: 'Check access to nodes.' },
        async () => {
          await severalAtATime(input.nodes, async (node) => await acting.uncordon(node, input.run));
          return {};
        },
        around,
      );
    },

    /**
     * Selects the new nodes that are in excess once `keep` old ones have been replaced, and cordons them. Instances of the new pool that
     * never became nodes serve nobody: they are terminated here. `back`: an old pool that has got instances again, other than the known ones.
     */
    planScaleIn: async (input: PlanScaleInInput): Promise<Outcome<{ excess: readonly NodeRef[]; keep?: number }>> => {
      const { policy } = input;
      const fence = openLooseFence(cluster, input);
      return await retryUntilDone(
        { clock, what: `choosing the nodes that leave ${input.pool.name}`, hint: 'Resume to retry.' },
        async () => {
          await fence.check();
          const pool = await pools.findPool(input.pool);
          if (pool === undefined) return { excess: [] };
          const instances = await pools.observeInstances(input.pool);
          // Read after the instances: one that joins in between is a node.
          const seen = await observer.cluster();
          const keep = input.back === undefined ? input.keep : countKept(input.keep, seen, { ...input.back, policy });
          const question = { cluster: seen, policy, zones: pool.zones, keep };
          const { excess, unjoined } = decideScaleIn(question, instances);
          const { joined = [] } = input;
          await requireNodesGone(
            pools,
            input.pool,
            unjoined.filter((id) => joined.includes(id)),
          );
          for (const instanceId of unjoined) {
            await fence.check();
            await pools.terminateInstance(input.pool, instanceId);
          }
          const leaving = excess.map(nodeRefOf);
          const acting = cluster.guarded(fence.check);
          for (const node of leaving) await acting.cordon(node, input.run);
          return { excess: leaving, ...(input.back === undefined ? {} : { keep }) };
        },
      );
    },

    /**
     * Deletes a pool that has no node left, waits until it is gone, and restores what was changed elsewhere for its sake. `joined` is true when an instance
     * has joined it meanwhile: its pods have to leave first.
     */
    deletePool: async (input: DeletePoolInput): Promise<Outcome<{ joined: boolean }>> => {
      const fence = openLooseFence(cluster, input);
      return await pollUntil<{ joined: boolean }>({
        clock,
        what: `${input.pool.name} to be gone`,
        deadlineMs: 2 * input.policy.waits.deadlines.terminationMs,
        pollIntervalMs: input.policy.waits.pollIntervalMs,
        hint: 'Move what is left on its nodes, then resume.',
        poll: async () => {
          const pool = await pools.findPool(input.pool);
          if (pool === undefined) {
            // Somebody else may have deleted it.
            await requestDeletion(input, fence);
            return { done: true, value: { joined: false } };
          }
          const left = (await observer.cluster()).nodes.filter((node) => node.pool === input.pool.name);
          const living = pool.status === 'deleting' ? [] : liveInstances(pool);
          const joined = left.some(({ instanceId }) => living.includes(instanceId));
          // A pool that the run has created is deleted together with instances that are not nodes yet.
          if (joined || (living.length > 0 && input.onlyIfCreatedBy === undefined))
            return { done: true, value: { joined: true } };
          if (left.length > 0) {
            return {
              done: false,
              reason: `${listNames(left.map((node) => node.name))} still belong to ${input.pool.name}`,
            };
          }
          await requireNodesGone(
            pools,
            input.pool,
            living.filter((id) => input.joined?.includes(id)),
          );
          await requestDeletion(input, fence);
          return { done: false, reason: `${input.pool.name} is being deleted` };
        },
      });
    },
  };
}
