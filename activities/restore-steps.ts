import { explainStuckPods } from '../core/eviction/unreachable.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import { attemptOfRestore, type NodeFacts, type NodeRef } from '../core/model/node.ts';
import type { PoolLock } from '../core/model/pool-lock.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import { explainAdoption, explainLeft } from '../core/pod-surge/adoption.ts';
import { poolRefOf } from '../core/policy/policy.ts';
import type { BlockedSince } from '../core/status/blocked.ts';
import { deadlineMsOf } from '../core/steps/steps.ts';
import { explainUnmanagedCordon, groupsThatAwaitCordon, isCordonChanging } from '../core/waits/cordon-change.ts';
import { decideRegisteredAgain } from '../core/waits/registered-again.ts';
import type { Observer } from '../operations/observer.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Events } from '../ports/cluster/events.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { ClusterObserver } from '../ports/cluster/observer.ts';
import type { Ports } from '../ports/ports.ts';
import { createAdoption } from './adoption.ts';
import { openLooseFence, type PoolStepInput, requireCluster } from './fence.ts';
import { holdersOfWorkflow } from './momentary-locks.ts';
import { changeCordon, publishNodeEvent } from './node-actions.ts';
import type { NodeStepInput, NodeStepResult } from './node-step.ts';
import { type Outcome, pollUntil, retryUntilDone } from './polling.ts';
import { poolLeaseMs } from './pool-lock.ts';
import { createRestorePods } from './restore-pods.ts';

/** Pods start and end within seconds, ms. */
const pollIntervalMs = 1_000;

/** ReplicaSets delete excess pods within seconds, ms; what they haven't deleted by then is left over and reported. */
const chosenWithinMs = 120_000;

/** A controller that reads the label only when a cordon changes has this long, ms, until the cordon changes again. */
const cordonAgainMs = 30_000;

/** What is left at the end. */
interface Cleanup {
  /** What could not be removed or restored, as text. */
  readonly left: readonly string[];
  /** What can be removed only after somebody has terminated its unreachable instance, as text; absent when there is nothing. */
  readonly ends?: readonly string[];
}

/** Steps that undo what a run has done to nodes and pods. */
export function createRestoreSteps(
  ports: Ports<ClusterObserver & Actions & Fencing & Locks & Events>,
  observer: Observer,
) {
  const { clock, cluster } = ports;
  const restorePods = createRestorePods(ports);
  const { keepUp } = createAdoption(cluster);

  return {
    /**
     * Restores a node that was not terminated: its pods to their Services, the node to its load balancers. `forGood` when the run does not
     * continue with it: then its cordon and its fence are removed too, and locks that steps of its workflow could not release.
     */
    restoreNode: async (input: NodeStepInput & { readonly forGood?: boolean }): Promise<Outcome<NodeStepResult>> => {
      const { node, policy, run } = input;
      const deadlineMs = deadlineMsOf('restoring', policy.waits.deadlines);
      const put = await removeOwnership(input);
      if (put.outcome !== 'done') return put;
      await publishNodeEvent(cluster, node, 'Restored', `restored by run ${run}`);
      let cordonDueAt = 0;
      return await pollUntil<NodeStepResult>({
        clock,
        what: `${node.name} to be back in its load balancers`,
        deadlineMs,
        pollIntervalMs: policy.waits.pollIntervalMs,
        hint: 'Check that the cloud controller manager runs; then resume.',
        poll: async ({ now, since }) => {
          const facts = await observer.serving(input);
          const seen = indexOf(facts.cluster).nodes.get(node.name);
          if (seen?.uid !== node.uid || !seen.ready || seen.excluded) {
            const detail = seen?.uid === node.uid ? 'left as others made it' : 'the node is gone';
            return { done: true, value: { evidence: [{ kind: 'restored', at: now, detail }] } };
          }
          // An earlier attempt ended while it changed the cordon.
          if (input.forGood !== true && isCordonChanging(seen, facts.targetGroups)) await cluster.cordon(node, run);
          const decision = decideRegisteredAgain(seen, facts, policy, { waitedMs: now - since, deadlineMs });
          const { reason: detail, isSelfResolving } = decision;
          if (decision.done) return { done: true, value: { evidence: [{ kind: 'restored', at: now, detail }] } };
          const unaware = groupsThatAwaitCordon(node, facts);
          const unmanaged = explainUnmanagedCordon(node, facts, unaware, run);
          const awaiting = groupsThatAwaitCordon(node, facts, { perhaps: now - since >= cordonAgainMs });
          if (unmanaged === undefined && awaiting.length > 0 && now >= cordonDueAt) {
            cordonDueAt = now + cordonAgainMs;
            await changeCordon(cluster, node, run);
          }
          return { done: false, reason: unmanaged ?? detail, isSelfResolving };
        },
      });
    },

    /** Restores excluded nodes that have no workflow of their own: it has ended, or never began. */
    restoreUntracked: async (input: PoolStepInput): Promise<Outcome> => {
      const { check, around } = openLooseFence(cluster, input);
      const acting = cluster.guarded(check);
      return await retryUntilDone(
        { clock, what: 'restoring nodes', hint: 'Check access to nodes.' },
        async () => {
          const { nodes } = await observer.cluster();
          for (const node of nodes) if (node.ownership.excludedBy === input.run) await acting.include(node, input.run);
          return {};
        },
        // Fences off steps that still exclude nodes, before excluded nodes are looked up.
        around,
      );
    },

    /**
     * Leaves drained nodes to the operator: their cordon, label and taint stay and no longer belong to the run, so nothing removes them. Nodes that are
     * gone are left out.
     */
    keepDrained: async (input: PoolStepInput & { readonly nodes: readonly NodeRef[] }): Promise<Outcome> => {
      const acting = cluster.guarded(openLooseFence(cluster, input).check);
      return await retryUntilDone(
        { clock, what: 'keeping drained nodes', hint: 'Check access to nodes.' },
        async () => {
          for (const node of input.nodes) await acting.removeOwnershipMarks(node, input.run);
          return {};
        },
      );
    },

    /**
     * Removes or restores everything that still carries the run's ownership, then releases the lock: no other run works on the pool before
     * that. Pods that can't leave before the eviction deadline are left over; the result says which, and why. `lock` is absent where the run does not
     * know whether it has one, because the answer of the step that acquires it was lost.
     */
    cleanUp: async (input: PoolStepInput & { lock?: PoolLock }): Promise<Outcome<Cleanup>> => {
      const { run, lock, policy } = input;
      const fence = openLooseFence(cluster, input);
      return await pollUntil<Cleanup>({
        clock,
        what: `what run ${run} has set to be removed`,
        deadlineMs: policy.waits.deadlines.evictionMs,
        pollIntervalMs: pollIntervalMs,
        hint: 'See the runbook on leftovers.',
        poll: async ({ now, since, isFinal, checkpoint }) => {
          await fence.check();
          if (lock !== undefined) await renew(lock);
          const facts = await observeRemoved(input, now);
          const { nodes } = facts;
          const pods = await restorePods({ run, nodes, policy }, facts, now, checkpoint);
          const upkeep = await keepUp(facts, run);
          const waiting = pods.endpointsRemoved.filter((pod) => !pod.terminating);
          const isStable = upkeep.awaited.length === 0 || now - since >= chosenWithinMs;
          const isOver = (waiting.length === 0 && isStable) || (isFinal && !pods.isSelfResolving);
          const awaited = new Set(isOver ? [] : waiting.map(({ node }) => node));
          for (const node of nodes) if (!awaited.has(node.name)) await clearOwnership(node, run);
          if (!isOver && waiting.length === 0) return { ...pods, done: false, reason: explainAdoption(upkeep) };
          if (!isOver) return { ...pods, done: false };
          await releaseLocks(run, lock);
          const left = await cluster.findLeftovers(run);
          const { terminateByHand } = ports.pools.traitsOf(policy.pool);
          const ends = explainStuckPods(facts, run, (node) => terminateByHand(poolRefOf(policy), node));
          const blocked = [...pods.blocked, ...explainLeft(facts, run)];
          const told = left.map((mark) => explain(mark, blocked));
          return { done: true, value: { left: told, ...(ends.length === 0 ? {} : { ends }) } };
        },
      });
    },
  };

  /**
   * Restores pods to their Services, then clears the ownership of the node. Needs no lock on the pool: clearing one's own affects nobody. An attempt
   * that lives on stops once the run has excluded the node again.
   */
  async function removeOwnership(input: NodeStepInput & { readonly forGood?: boolean }): Promise<Outcome> {
    const { node, run, policy } = input;
    const { waits } = policy;
    const fence = { run, ...input.attempt, attempt: attemptOfRestore };
    const requireFence = async () => {
      await cluster.requireFence(node, fence);
    };
    const acting = cluster.guarded(requireFence);
    const restorePodsOf = createRestorePods({ clock, cluster: acting });
    return await pollUntil<object>({
      clock,
      what: `pods of ${node.name} to be restored`,
      deadlineMs: waits.deadlines.evictionMs,
      pollIntervalMs: Math.min(pollIntervalMs, waits.pollIntervalMs),
      hint: 'Resume to retry.',
      poll: async ({ now, checkpoint }) => {
        await requireCluster(cluster, policy);
        // An earlier attempt that is still running finds that it no longer owns the node.
        await cluster.fenceNode(node, fence);
        await requireFence();
        const facts = await observeRemoved(input, now);
        const pods = await restorePodsOf({ run, nodes: [node], policy }, facts, now, checkpoint);
        if (pods.endpointsRemoved.length > 0) return { ...pods, done: false };
        await acting.untaintDisrupted(node, run);
        await acting.include(node, run);
        if (input.forGood === true) {
          await acting.uncordon(node, run);
          await releaseLocksOfWorkflow(run);
          await requireFence();
          // An attempt that has not fenced the node yet could do so from now on. Unless nobody else removes it, the fence stays until the run ends.
          await cluster.unfenceNode(node, run);
        }
        return { done: true, value: {} };
      },
    });
  }

  /** Load balancers are asked only while pods that they may send to are to be evicted. */
  async function observeRemoved(
    { policy, run }: Pick<PoolStepInput, 'policy' | 'run'>,
    now: number,
  ): Promise<ClusterFacts> {
    const facts = await observer.cluster();
    if (!facts.pods.some((pod) => pod.endpointsRemoved?.by === run)) return facts;
    return await observer.withPodTargets({ policy, baselines: undefined }, now - policy.waits.pollIntervalMs);
  }

  async function clearOwnership(node: NodeFacts, run: string): Promise<void> {
    const { disruptedBy, excludedBy, cordonedBy, fence } = node.ownership;
    if (disruptedBy === run) await cluster.untaintDisrupted(node, run);
    if (excludedBy === run) await cluster.include(node, run);
    if (cordonedBy === run) await cluster.uncordon(node, run);
    if (fence?.run === run) await cluster.unfenceNode(node, run);
  }

  /** Nobody else renews the lock for the run by now. A lost lock is no obstacle: a run may always clear its own ownership. */
  async function renew(lock: PoolLock): Promise<void> {
    try {
      await cluster.renewLock(lock, poolLeaseMs);
    } catch (error) {
      if (!(error instanceof NodeferryError) || error.problem.code !== 'LockLost') throw error;
    }
  }

  /** The run's own lock, and those that a step could not release because the API server was unavailable at that moment. */
  async function releaseLocks(run: string, lock: PoolLock | undefined): Promise<void> {
    const others = (await cluster.findLocks(run)).filter(({ name }) => name !== lock?.name);
    for (const one of others) await cluster.releaseLock(one);
    if (lock !== undefined) await cluster.releaseLock(lock);
  }

  async function releaseLocksOfWorkflow(run: string): Promise<void> {
    const holders = holdersOfWorkflow(run);
    for (const lock of await cluster.findLocks(run))
      if (lock.holder.startsWith(holders)) await cluster.releaseLock(lock);
  }
}

function explain(mark: string, known: readonly Pick<BlockedSince, 'pod' | 'reason'>[]): string {
  const blocking = known.find(({ pod }) => mark.startsWith(`pod ${pod}: `));
  return blocking === undefined ? mark : `${mark}; ${blocking.reason}`;
}
