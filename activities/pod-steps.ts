import type { BlockedPod, PodAction, RemovedSince } from '../core/eviction/actions.ts';
import { decideVolumesDetached, remainingClaims } from '../core/eviction/attached-volumes.ts';
import { decideEvictionRound, type EvictionQuestion } from '../core/eviction/eviction-round.ts';
import { nextDueMs, selfResolving } from '../core/eviction/leaving.ts';
import { decideEarlyRemoval, decideEndpointRemoval } from '../core/eviction/leftover-endpoints.ts';
import { findReadded } from '../core/eviction/readded-labels.ts';
import { type Returns, trackReturns } from '../core/eviction/returns.ts';
import { findRevocation } from '../core/guard/grant-holds.ts';
import { layOutInSlices } from '../core/guard/lay-out.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { Policy } from '../core/policy/policy.ts';
import { addExternalChanges } from '../core/status/external-changes.ts';
import type { ExternalChange } from '../core/status/status.ts';
import { count, listNames } from '../core/text/format.ts';
import type { WaitDecision } from '../core/waits/decision.ts';
import { terminationNotBefore } from '../core/waits/formulas.ts';
import { findRefused, hintRefused, noteRefused, type RefusedWorkload } from '../core/waits/refused.ts';
import type { Ports } from '../ports/ports.ts';
import { ensureCordoned } from './acts-on-nodes.ts';
import { createAdoption } from './adoption.ts';
import type { EndingResult } from './ending-steps.ts';
import { openFence } from './fence.ts';
import { guardActs } from './guarded-acts.ts';
import { inSlices } from './in-slices.ts';
import { createLeftoverEndpoints } from './leftover-endpoints.ts';
import type { NodeStepInput } from './node-steps.ts';
import type { Observer } from './observer.ts';
import {
  type ActOutcome,
  createPodActs,
  type FencedCluster,
  mayMeetCallers,
  recordBlocked,
  trackPods,
} from './pod-acts.ts';
import { type Outcome, pollUntil } from './polling.ts';
import { createUnreachable } from './unreachable-steps.ts';
import type { Wake } from './waking.ts';

/** Pods come and go within seconds, and a look at the cluster is cheap, ms. */
const maxPauseMs = 500;

/** Of what could not be protected on a node so much is told. */
const maxReported = 20;

/** What evicting came to: also since when pods that stay with the node have been out of their endpoints. */
export interface EvictingResult extends EndingResult {
  readonly removedAt?: RemovedSince;
}

/** What retiring goes on from. */
export interface EndpointRemovalInput extends NodeStepInput {
  /** Epoch ms at which the node was seen out of its load balancers. */
  readonly deregisteredAt: number;
  /** As evicting has left it. */
  readonly removedAt?: RemovedSince;
}

/** What retiring came to: also until when (epoch ms) connections may pass through the node. */
export interface EndpointRemovalResult extends EndingResult {
  readonly forwardedUntil: number;
}

/** Steps that take the pods off one node. Whatever they do they do from a look in which the node is out of its load balancers. */
export function createPodSteps(ports: Ports, observer: Observer, wake: Wake) {
  const { clock, cluster } = ports;
  const { carryOut } = createPodActs(ports, observer);
  const { findBack, removeLeftover } = createLeftoverEndpoints(ports, observer);
  const findUnreachable = createUnreachable(ports, observer);

  return {
    /**
     * Evicts in rounds until every pod that can go is gone by UID and its volumes are detached. Nothing is forced, and pods that may run to
     * their end have a deadline of their own. Before the first pod is touched the node may still come back, and does so when it should not
     * have been let go. While the last pods end, the endpoints of DaemonSets begin to leave.
     */
    evictPods: async (input: NodeStepInput): Promise<Outcome<EvictingResult>> => {
      const { node, policy, run } = input;
      const fence = openFence(cluster, input);
      const acting = guardActs(cluster, fence);
      const { adoptNow } = createAdoption(acting);
      const leaving = poolRolledBackFrom(input);
      return await pollUntil<EvictingResult>({
        clock,
        what: `pods to leave ${node.name}`,
        deadlineMs: policy.waits.deadlines.evictionMs,
        pollIntervalMs: pollIntervalMs(policy),
        hint: 'Fix what is named (a budget, an annotation, a pod that is stuck), then resume; or abort.',
        poll: fence.around<EvictingResult>(async ({ now: began, checkpoint, since }) => {
          const facts = await observer.cluster();
          // What an attempt before this one did not come to.
          if (leaving !== undefined) await adoptNow(facts, run, { leaving });
          const now = clock.now();
          const pods = podsOn(facts, node.name);
          const returns = trackReturns(checkpoint['returns'] as Returns | undefined, pods);
          const times = { ...trackPods(checkpoint, pods, facts, now), returns };
          const opened = await ensureCordoned(acting, [node], run, { cluster: facts, observedAt: now });
          const externalChanges = addExternalChanges(
            (checkpoint['externalChanges'] as readonly ExternalChange[] | undefined) ?? [],
            [...opened, ...findReadded(pods, facts, now)],
          );
          const unprotected = (checkpoint['unprotected'] as readonly string[] | undefined) ?? [];
          const round = decideEvictionRound({ node, facts, policy, run, now, ...times });
          const detached = round.remaining === 0 ? await observeVolumes(node, facts, now) : undefined;
          if (detached?.done === true) {
            const left = round.leftovers.length === 0 ? '' : ` but ${listNames(round.leftovers)}`;
            const detail = `no pod left on ${node.name}${left}`;
            return {
              done: true,
              value: {
                evidence: [{ kind: 'evicted', at: now, detail }],
                externalChanges,
                unprotected,
                removedAt: times.removedAt,
              },
            };
          }
          const begun = checkpoint['begun'] === true || hasBegun(facts, input);
          const problem = round.isStuckTerminating ? await findUnreachable(input, facts, began) : undefined;
          if (problem !== undefined) return { done: false, reason: problem.message, problem };
          const completes = round.completes && now - since < policy.waits.deadlines.jobCompletionMs;
          const isSelfResolving = completes || selfResolving({ pods, ...times }, policy.waits, now);
          if (!begun || mayMeetCallers(node, round.actions, facts)) {
            const observation = await observeBeforeActing(input, { begun, began, known: checkpoint['lostSince'] });
            if (observation.result !== undefined) return { done: true, value: { ...observation.result, unprotected } };
            if (observation.held !== undefined)
              return {
                done: false,
                reason: observation.held,
                checkpoint: { ...times, begun, externalChanges, unprotected, lostSince: observation.lostSince },
              };
          }
          const early = round.ends ? decideEarlyRemoval({ node, facts, policy, run, now, ...times }) : undefined;
          const back = early && (await removeLeftover(early, input, { fence, facts, began }));
          if (back !== undefined) return { done: true, value: { ...back, unprotected } };
          const outcomes: ActOutcome[] = [];
          const attempt: FencedCluster = {
            run,
            fence,
            decide: (fresh) => decideAgain({ ...input, facts: fresh, now: clock.now(), ...times }),
            leaving,
          };
          for (const action of round.actions) outcomes.push(await carryOut(action, attempt, facts));
          const refused = outcomes.flatMap((outcome) => outcome.blocked ?? []);
          const blocked = recordBlocked([...round.blocked, ...refused], checkpoint['blocked'], now);
          const unmade = findUnmade([...round.blocked, ...refused], facts);
          await wake(unmade, { run, fence });
          const hint = hintRefused(unmade);
          const first = blocked[0];
          const reason =
            first === undefined
              ? (detached?.reason ?? round.reason)
              : `${count(round.remaining, 'pod')} left on ${node.name}; ${first.pod}: ${first.reason}${noteRefused(unmade)}`;
          const requeueAfterMs = round.completes
            ? policy.waits.pollIntervalMs
            : nextPollMs([...round.actions, ...(early?.actions ?? [])], times.removedAt, policy);
          const told = [...unprotected, ...outcomes.flatMap((outcome) => outcome.unprotected ?? [])].slice(
            0,
            maxReported,
          );
          const acted = outcomes.some((outcome) => outcome.acted);
          return {
            done: false,
            reason,
            ...(hint === undefined ? {} : { hint }),
            blocked,
            // What was told to go just now is on its way in the next look only.
            isSelfResolving: isSelfResolving || acted,
            checkpoint: { ...times, blocked, begun: begun || acted, externalChanges, unprotected: told },
            requeueAfterMs,
          };
        }),
      });
    },

    /** Takes the endpoints off the node that eviction leaves there (DaemonSets): taint, unlist, wait, delete. */
    removeEndpoints: async (input: EndpointRemovalInput): Promise<Outcome<EndpointRemovalResult>> => {
      const { node, policy, run, removedAt = {} } = input;
      const fence = openFence(cluster, input);
      return await pollUntil<EndpointRemovalResult>({
        clock,
        what: `endpoints to leave ${node.name}`,
        deadlineMs: policy.waits.deadlines.endpointRemovalMs,
        pollIntervalMs: pollIntervalMs(policy),
        hint: 'Check the DaemonSet pods that are named; then resume.',
        poll: fence.around(async ({ now: began, checkpoint }) => {
          const facts = await observer.cluster();
          const now = clock.now();
          const pods = podsOn(facts, node.name);
          const times = trackPods({ removedAt, ...checkpoint }, pods, facts, now);
          const removal = decideEndpointRemoval({ node, facts, policy, run, now, ...times });
          const { taint, actions, remaining, unprotected, reason } = removal;
          if (remaining === 0) {
            const forwardedUntil = terminationNotBefore(await observer.serving(input), input.deregisteredAt, policy);
            const evidence = [{ kind: 'endpoints-removed', at: now, detail: reason } as const];
            return { done: true, value: { evidence, unprotected, forwardedUntil } };
          }
          const back = await removeLeftover({ taint, actions }, input, { fence, facts, began });
          if (back !== undefined)
            return { done: true, value: { ...back, unprotected, forwardedUntil: input.deregisteredAt } };
          if (taint) return { done: false, reason, checkpoint: times, requeueAfterMs: 100 };
          const isSelfResolving = selfResolving({ pods, ...times }, policy.waits, now);
          const requeueAfterMs = nextPollMs(actions, times.removedAt, policy);
          return { done: false, reason, isSelfResolving, checkpoint: times, requeueAfterMs };
        }),
      });
    },
  };

  /** Claims are asked for only where it matters: volumes are attached, and pods that stay on the node have some. */
  async function observeVolumes(node: NodeRef, facts: ClusterFacts, now: number): Promise<WaitDecision> {
    const volumeClaims = remainingClaims(node, facts, now);
    const staying = volumeClaims.length === 0 ? [] : await cluster.readVolumeClaims(volumeClaims);
    return decideVolumesDetached(node, facts, staying);
  }

  /**
   * Whether a round may begin: out of all load balancers, and, before the first pod is touched, rightly so. What was read since the round
   * `began` will do: many nodes that are emptied together share it.
   */
  async function observeBeforeActing(
    input: NodeStepInput,
    { begun, began, known }: { readonly begun: boolean; readonly began: number; readonly known: unknown },
  ): Promise<{ readonly result?: EndingResult; readonly held?: string; readonly lostSince?: number }> {
    const facts = await observer.serving(input, { since: began });
    const result = await findBack(input, facts);
    if (result !== undefined) return { result };
    if (!begun) await inSlices(layOutInSlices(facts));
    const lost = begun ? undefined : findRevocation({ ...input, facts });
    if (lost === undefined) return {};
    const now = facts.observedAt;
    const lostSince = typeof known === 'number' ? known : now;
    if (now > lostSince && now - lostSince >= input.policy.waits.stabilizationMs)
      return { result: { evidence: [], restoredBecause: lost } };
    return { held: `nothing is evicted: ${lost}`, lostSince };
  }

  /** A pod that was unlisted just now is looked at at once, to see it out of its endpoints; others when the next of them may go. */
  function nextPollMs(actions: readonly PodAction[], removedAt: RemovedSince, policy: Policy): number {
    if (actions.some(({ kind }) => kind === 'remove-endpoints')) return Math.min(200, pollIntervalMs(policy));
    const due = nextDueMs(removedAt, policy.waits, clock.now()) ?? Number.POSITIVE_INFINITY;
    return Math.min(due, pollIntervalMs(policy));
  }
}

/** Name of the node's pool when it is the new one, whose nodes leave only in an abort. */
function poolRolledBackFrom({ pool, policy }: NodeStepInput): string | undefined {
  return pool.name === policy.target.poolName ? pool.name : undefined;
}

function decideAgain(question: EvictionQuestion): readonly PodAction[] {
  if (indexOf(question.facts).nodes.get(question.node.name)?.excluded === false) return [];
  return decideEvictionRound(question).actions;
}

/** Workloads of pods that may not go because the API server refuses those that would stand in for them. */
function findUnmade(blocked: readonly BlockedPod[], facts: ClusterFacts): readonly RefusedWorkload[] {
  const index = indexOf(facts);
  const keys = new Set(blocked.map(({ pod: { uid } }) => index.podsByUid.get(uid)?.workload ?? ''));
  return findRefused(
    [...keys].flatMap((key) => index.workload(key) ?? []),
    facts,
  );
}

/** An earlier step of the run has touched pods here already. */
function hasBegun(facts: ClusterFacts, { node, run }: NodeStepInput): boolean {
  return podsOn(facts, node.name).some((pod) => pod.endpointsRemoved?.by === run);
}

function podsOn(facts: ClusterFacts, node: string) {
  return indexOf(facts).podsOn(node);
}

function pollIntervalMs({ waits }: Policy): number {
  return Math.min(maxPauseMs, waits.pollIntervalMs);
}
