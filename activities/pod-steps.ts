import type { RemovedSince } from '../core/eviction/actions.ts';
import { decideVolumesDetached, remainingClaims } from '../core/eviction/attached-volumes.ts';
import {
  concludeEvictionRound,
  decideEviction,
  decideEvictionAgain,
  decideStart,
  type EvictionCheckpoint,
  type EvictionDecision,
  nextPollMs,
  podPollIntervalMs,
  type StartVerdict,
} from '../core/eviction/eviction.ts';
import { selfResolving } from '../core/eviction/leaving.ts';
import { decideEndpointRemoval } from '../core/eviction/leftover-endpoints.ts';
import { trackPods } from '../core/eviction/pod-times.ts';
import { findReadded } from '../core/eviction/readded-labels.ts';
import { layOutInSlices } from '../core/guard/lay-out.ts';
import { findRevocation } from '../core/guard/revocation.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import { leavingOf } from '../core/policy/members.ts';
import { recordBlocked } from '../core/status/blocked.ts';
import {
  type EndpointRemovalCheckpoint,
  type EvictPodsCheckpoint,
  readEndpointRemoval,
  readEvictPods,
} from '../core/status/checkpoint.ts';
import { addExternalChanges } from '../core/status/external-changes.ts';
import type { Evidence } from '../core/status/status.ts';
import { deadlineMsOf } from '../core/steps/steps.ts';
import { listNames } from '../core/text/format.ts';
import type { WaitDecision } from '../core/waits/decision.ts';
import { terminationNotBefore } from '../core/waits/formulas.ts';
import type { Observer } from '../operations/observer.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { ClusterObserver } from '../ports/cluster/observer.ts';
import type { Ports } from '../ports/ports.ts';
import { createAdoption } from './adoption.ts';
import type { EndingResult } from './ending-steps.ts';
import { openFence } from './fence.ts';
import { inSlices } from './in-slices.ts';
import { createLeftoverEndpoints } from './leftover-endpoints.ts';
import { ensureCordoned, seeSuccessor } from './node-actions.ts';
import type { NodeStepInput } from './node-step.ts';
import { createPodExecutor, type FencedCluster } from './pod-executor.ts';
import { type Outcome, pollUntil } from './polling.ts';
import { createUnreachable } from './unreachable-steps.ts';
import type { Wake } from './waking.ts';

/** The result of evicting, with the time since which pods that stay on the node have been out of their endpoints. */
interface EvictingResult extends EndingResult {
  readonly removedAt?: RemovedSince;
}

/** Input of the removal of endpoints. */
interface EndpointRemovalInput extends NodeStepInput {
  /** Epoch ms at which the node was observed to be deregistered. */
  readonly deregisteredAt: number;
  /** As the eviction step has left it. */
  readonly removedAt?: RemovedSince;
}

/** The result of the removal of endpoints, with the time (epoch ms) until which connections may be forwarded through the node. */
interface EndpointRemovalResult extends EndingResult {
  readonly forwardedUntil: number;
}

/** Steps that remove the pods from one node. They act only after an observation in which the node is out of its load balancers. */
export function createPodSteps(
  ports: Ports<ClusterObserver & Actions & Fencing & Locks>,
  observer: Observer,
  wake: Wake,
) {
  const { clock, cluster } = ports;
  const { executeAll } = createPodExecutor(ports, observer);
  const { findBack, removeLeftover } = createLeftoverEndpoints(ports, observer);
  const findUnreachable = createUnreachable(ports, observer);

  return {
    /**
     * Evicts in rounds until every movable pod is gone, by UID, and its volumes are detached. Nothing is forced, and pods that may run to
     * completion have a deadline of their own. Before the first pod is touched the node is restored if it should not have been excluded. While
     * the last pods terminate, the endpoints of DaemonSet pods are removed already.
     */
    evictPods: async (input: NodeStepInput): Promise<Outcome<EvictingResult>> => {
      const { node, policy, run } = input;
      const fence = openFence(cluster, input);
      const acting = cluster.guarded(fence.check);
      const { adoptNow } = createAdoption(acting);
      return await pollUntil<EvictingResult>({
        clock,
        what: `pods to leave ${node.name}`,
        deadlineMs: deadlineMsOf('evicting', policy.waits.deadlines),
        pollIntervalMs: podPollIntervalMs(policy),
        hint: 'Fix what is named (a budget, an annotation, a pod that is stuck), then resume; or abort.',
        poll: fence.around<EvictingResult>(async ({ now: began, checkpoint, since }) => {
          const known = readEvictPods(checkpoint);
          const facts = await observer.withPodTargets(input, clock.now() - policy.waits.pollIntervalMs);
          const over = seeSuccessor(node, facts, 'evicted', clock.now());
          if (over !== undefined) return { done: true, value: { evidence: over } };
          const leaving = input.direction === 'back' ? leavingOf(facts, policy, 'back') : undefined;
          // What an earlier attempt did not get to.
          if (leaving !== undefined) await adoptNow(facts, run, { leaving });
          const now = clock.now();
          const opened = await ensureCordoned(acting, [node], run, { cluster: facts, observedAt: now });
          const given = findReadded(indexOf(facts).podsOn(node.name), facts, now);
          const externalChanges = addExternalChanges(known.externalChanges, [...opened, ...given]);
          const decision = decideEviction({ ...input, facts, now, since }, known);
          const { verdict, early, checkpoint: tracked } = decision;
          const beside = { externalChanges, unprotected: tracked.unprotected };

          const detached = verdict === 'empty' ? await observeVolumes(node, facts, now) : undefined;
          if (detached?.done === true)
            return { done: true, value: { ...evictedResult(input, decision, now), ...beside } };
          const problem = verdict === 'stuck' ? await findUnreachable(input, facts, began) : undefined;
          if (problem !== undefined) return { done: false, reason: problem.message, problem };

          if (decision.asksLoadBalancers) {
            const start = await observeBeforeActing(input, began, { ...known, ...tracked });
            if (start.result !== undefined)
              return { done: true, value: { ...start.result, unprotected: beside.unprotected } };
            if (start.wait !== undefined) {
              const { reason, revokedSince } = start.wait;
              const waiting: EvictPodsCheckpoint = {
                ...tracked,
                revokedSince,
                externalChanges,
                blocked: known.blocked,
              };
              return { done: false, reason, checkpoint: waiting };
            }
          }
          const nothing = { taint: false, actions: [] };
          const moment = { fence, facts, began, rejected: tracked.rejected, isLast: false };
          const { back, rejected } = await removeLeftover(early ?? nothing, input, moment);
          if (back !== undefined) return { done: true, value: { ...back, unprotected: beside.unprotected } };
          const attempt: FencedCluster = {
            run,
            fence,
            decide: (fresh) => decideEvictionAgain({ ...input, ...tracked, facts: fresh, now: clock.now() }),
            policy,
            leaving,
          };
          const outcome = await executeAll(decision.actions, attempt, { facts, rejected });

          const waitsFor = detached === undefined ? {} : { waitsFor: detached.reason };
          const end = concludeEvictionRound(decision, outcome, { node, facts, policy, now: clock.now(), ...waitsFor });
          await wake(end.refused, { run, fence });
          const blocked = recordBlocked(end.blocked, known.blocked, now);
          const { reason, hint } = end;
          if (outcome.impossible !== undefined) return { done: false, reason, blocked, problem: outcome.impossible };
          const next: EvictPodsCheckpoint = { ...end.checkpoint, externalChanges, blocked };
          return {
            done: false,
            reason,
            ...(hint === undefined ? {} : { hint }),
            blocked,
            isSelfResolving: end.selfResolving,
            checkpoint: next,
            requeueAfterMs: end.requeueAfterMs,
          };
        }),
      });
    },

    /** Removes the endpoints that eviction leaves on the node (DaemonSets): taint, remove from endpoints, wait, delete. */
    removeEndpoints: async (input: EndpointRemovalInput): Promise<Outcome<EndpointRemovalResult>> => {
      const { node, policy, run, removedAt = {} } = input;
      const fence = openFence(cluster, input);
      return await pollUntil<EndpointRemovalResult>({
        clock,
        what: `endpoints to leave ${node.name}`,
        deadlineMs: deadlineMsOf('removing-endpoints', policy.waits.deadlines),
        pollIntervalMs: podPollIntervalMs(policy),
        hint: 'Check the DaemonSet pods that are named; then resume.',
        poll: fence.around(async ({ now: began, checkpoint }) => {
          const facts = await observer.withPodTargets(input, clock.now() - policy.waits.pollIntervalMs);
          const now = clock.now();
          const over = seeSuccessor(node, facts, 'endpoints-removed', now);
          if (over !== undefined)
            return { done: true, value: { evidence: over, forwardedUntil: input.deregisteredAt } };
          const pods = indexOf(facts).podsOn(node.name);
          const known = readEndpointRemoval({ removedAt, ...checkpoint });
          const times = trackPods(known, pods, { facts, policy, now });
          const removal = decideEndpointRemoval({ node, facts, policy, run, now, ...times });
          const { taint, actions, remaining } = removal;
          const unprotected = [...removal.unprotected, ...known.unprotected];
          if (remaining === 0) {
            const forwardedUntil = terminationNotBefore(await observer.serving(input), input.deregisteredAt, policy);
            const evidence: readonly Evidence[] = [{ kind: 'endpoints-removed', at: now, detail: removal.reason }];
            return { done: true, value: { evidence, unprotected, forwardedUntil } };
          }
          const moment = { fence, facts, began, rejected: {}, isLast: true };
          const { back, ...round } = await removeLeftover(removal, input, moment);
          if (back !== undefined)
            return { done: true, value: { ...back, unprotected, forwardedUntil: input.deregisteredAt } };
          const next: EndpointRemovalCheckpoint = {
            ...times,
            unprotected: [...known.unprotected, ...round.unprotected],
          };
          const reason = round.staying[0] ?? removal.reason;
          if (taint) return { done: false, reason, checkpoint: next, requeueAfterMs: 100 };
          const isSelfResolving = selfResolving({ pods, ...times }, policy.waits, now);
          const requeueAfterMs = nextPollMs(actions, times.removedAt, policy, clock.now());
          return { done: false, reason, isSelfResolving, checkpoint: next, requeueAfterMs };
        }),
      });
    },
  };

  /** Reads claims only where it matters: volumes are attached, and pods that stay on the node use some. */
  async function observeVolumes(node: NodeRef, facts: ClusterFacts, now: number): Promise<WaitDecision> {
    const volumeClaims = remainingClaims(node, facts, now);
    const staying = volumeClaims.length === 0 ? [] : await cluster.readVolumeClaims(volumeClaims);
    return decideVolumesDetached(node, facts, staying);
  }

  /**
   * Whether a round may begin: the node is out of all load balancers and, before the first pod is touched, should be. Load balancer state
   * that was read since the round `began` is new enough: many nodes that are emptied together share it.
   */
  async function observeBeforeActing(
    input: NodeStepInput,
    began: number,
    known: Pick<EvictionCheckpoint, 'begun' | 'revokedSince'>,
  ): Promise<{ readonly result?: EndingResult; readonly wait?: Extract<StartVerdict, { verdict: 'wait' }> }> {
    const facts = await observer.serving(input, { since: began });
    const result = await findBack(input, facts);
    if (result !== undefined) return { result };
    if (known.begun) return {};
    await inSlices(layOutInSlices(facts));
    const start = decideStart(findRevocation({ ...input, facts }), known, facts.observedAt, input.policy);
    switch (start.verdict) {
      case 'evict':
        return {};
      case 'wait':
        return { wait: start };
      case 'restore':
        return { result: { evidence: [], restoredBecause: start.reason } };
    }
  }
}

/** The result of a step that has emptied a node. */
function evictedResult({ node }: NodeStepInput, { leftovers, checkpoint }: EvictionDecision, now: number) {
  const left = leftovers.length === 0 ? '' : ` but ${listNames(leftovers)}`;
  const detail = `no pod left on ${node.name}${left}`;
  return { evidence: [{ kind: 'evicted', at: now, detail } as const], removedAt: checkpoint.removedAt };
}
