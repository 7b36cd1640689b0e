import type { BlockedPod, PodAction, UnlistedSince } from '../core/drain/actions.ts';
import { claimsThatStay, decideDetached } from '../core/drain/attached-volumes.ts';
import { decideEvictionRound, type EvictionQuestion } from '../core/drain/eviction-round.ts';
import { findGivenBack } from '../core/drain/given-back-labels.ts';
import { leaveByThemselves, untilNextMayGo } from '../core/drain/leaving.ts';
import { decideEarlyRetirement, decideRetirement } from '../core/drain/retirement.ts';
import { type Returns, trackReturns } from '../core/drain/returns.ts';
import { findLostGrant } from '../core/guard/grant-holds.ts';
import { layOutInSlices } from '../core/guard/lay-out.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { Policy } from '../core/policy/policy.ts';
import { addForeignActs } from '../core/status/foreign-acts.ts';
import type { ForeignAct } from '../core/status/status.ts';
import { count, listNames } from '../core/text/format.ts';
import type { WaitDecision } from '../core/waits/decision.ts';
import { terminationNotBefore } from '../core/waits/formulas.ts';
import { findRefused, hintRefused, noteRefused, type RefusedWorkload } from '../core/waits/refused.ts';
import type { Ports } from '../ports/ports.ts';
import { keepCordoned } from './acts-on-nodes.ts';
import type { EndingResult } from './ending-steps.ts';
import { openFence } from './fence.ts';
import { createGiveBack } from './give-back-acts.ts';
import { guardActs } from './guarded-acts.ts';
import { inSlices } from './in-slices.ts';
import type { Looking } from './looking.ts';
import type { NodeStepInput } from './node-steps.ts';
import {
  type ActingInTurn,
  type ActOutcome,
  createPodActs,
  mayMeetCallers,
  tellBlocked,
  trackPods,
} from './pod-acts.ts';
import { type Outcome, pollUntil } from './polling.ts';
import { createRetireActs } from './retire-acts.ts';
import { createUnreachable } from './unreachable-steps.ts';
import type { Wake } from './waking.ts';

/** Pods come and go within seconds, and a look at the cluster is cheap, ms. */
const longestPauseMs = 500;

/** Of what could not be protected on a node so much is told. */
const mostTold = 20;

/** What evicting came to: also since when pods that stay with the node have been out of their endpoints. */
export interface EvictingResult extends EndingResult {
  readonly unlistedAt?: UnlistedSince;
}

/** What retiring goes on from. */
export interface RetiringInput extends NodeStepInput {
  /** Epoch ms at which the node was seen out of its load balancers. */
  readonly outSince: number;
  /** As evicting has left it. */
  readonly unlistedAt?: UnlistedSince;
}

/** What retiring came to: also until when (epoch ms) connections may pass through the node. */
export interface RetiringResult extends EndingResult {
  readonly transitUntil: number;
}

/** Steps that take the pods off one node. Whatever they do they do from a look in which the node is out of its load balancers. */
export function createPodSteps(ports: Ports, looking: Looking, wake: Wake) {
  const { clock, cluster } = ports;
  const { carryOut } = createPodActs(ports, looking);
  const { findBack, retire } = createRetireActs(ports, looking);
  const findUnreachable = createUnreachable(ports, looking);

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
      const { giveBackNow } = createGiveBack(acting);
      const leaving = poolTurnedBackFrom(input);
      return await pollUntil<EvictingResult>({
        clock,
        what: `pods to leave ${node.name}`,
        deadlineMs: policy.waits.deadlines.evictionMs,
        pollMs: lookEveryMs(policy),
        hint: 'Mend what is named (a budget, an annotation, a pod that hangs), then resume; or abort.',
        look: fence.around<EvictingResult>(async ({ now: began, memo, since }) => {
          const facts = await looking.cluster();
          // What an attempt before this one did not come to.
          if (leaving !== undefined) await giveBackNow(facts, run, { leaving });
          const now = clock.now();
          const pods = podsOn(facts, node.name);
          const returns = trackReturns(memo['returns'] as Returns | undefined, pods);
          const times = { ...trackPods(memo, pods, facts, now), returns };
          const opened = await keepCordoned(acting, [node], run, { cluster: facts, observedAt: now });
          const foreignActs = addForeignActs((memo['foreignActs'] as readonly ForeignAct[] | undefined) ?? [], [
            ...opened,
            ...findGivenBack(pods, facts, now),
          ]);
          const notProtected = (memo['notProtected'] as readonly string[] | undefined) ?? [];
          const round = decideEvictionRound({ node, facts, policy, run, now, ...times });
          const detached = round.remaining === 0 ? await lookAtVolumes(node, facts, now) : undefined;
          if (detached?.done === true) {
            const left = round.leftBehind.length === 0 ? '' : ` but ${listNames(round.leftBehind)}`;
            const detail = `no pod left on ${node.name}${left}`;
            return {
              done: true,
              value: {
                evidence: [{ kind: 'evicted', at: now, detail }],
                foreignActs,
                notProtected,
                unlistedAt: times.unlistedAt,
              },
            };
          }
          const begun = memo['begun'] === true || hasBegun(facts, input);
          const problem = round.hangs ? await findUnreachable(input, facts, began) : undefined;
          if (problem !== undefined) return { done: false, reason: problem.message, problem };
          const completes = round.completes && now - since < policy.waits.deadlines.completionMs;
          const comes = completes || leaveByThemselves({ pods, ...times }, policy.waits, now);
          if (!begun || mayMeetCallers(node, round.actions, facts)) {
            const look = await lookBeforeActing(input, { begun, began, known: memo['lostSince'] });
            if (look.result !== undefined) return { done: true, value: { ...look.result, notProtected } };
            if (look.held !== undefined)
              return {
                done: false,
                reason: look.held,
                memo: { ...times, begun, foreignActs, notProtected, lostSince: look.lostSince },
              };
          }
          const early = round.ends ? decideEarlyRetirement({ node, facts, policy, run, now, ...times }) : undefined;
          const back = early && (await retire(early, input, { fence, facts, began }));
          if (back !== undefined) return { done: true, value: { ...back, notProtected } };
          const outcomes: ActOutcome[] = [];
          const turn: ActingInTurn = {
            run,
            fence,
            decide: (fresh) => decideAgain({ ...input, facts: fresh, now: clock.now(), ...times }),
            leaving,
          };
          for (const action of round.actions) outcomes.push(await carryOut(action, turn, facts));
          const refused = outcomes.flatMap((outcome) => outcome.blocked ?? []);
          const blocked = tellBlocked([...round.blocked, ...refused], memo['blocked'], now);
          const unmade = findUnmade([...round.blocked, ...refused], facts);
          await wake(unmade, { run, fence });
          const hint = hintRefused(unmade);
          const first = blocked[0];
          const reason =
            first === undefined
              ? (detached?.reason ?? round.reason)
              : `${count(round.remaining, 'pod')} left on ${node.name}; ${first.pod}: ${first.reason}${noteRefused(unmade)}`;
          const againInMs = round.completes
            ? policy.waits.pollMs
            : nextLookMs([...round.actions, ...(early?.actions ?? [])], times.unlistedAt, policy);
          const told = [...notProtected, ...outcomes.flatMap((outcome) => outcome.notProtected ?? [])].slice(
            0,
            mostTold,
          );
          const acted = outcomes.some((outcome) => outcome.acted);
          return {
            done: false,
            reason,
            ...(hint === undefined ? {} : { hint }),
            blocked,
            // What was told to go just now is on its way in the next look only.
            comes: comes || acted,
            memo: { ...times, blocked, begun: begun || acted, foreignActs, notProtected: told },
            againInMs,
          };
        }),
      });
    },

    /** Takes the endpoints off the node that eviction leaves there (DaemonSets): taint, unlist, wait, delete. */
    retireEndpoints: async (input: RetiringInput): Promise<Outcome<RetiringResult>> => {
      const { node, policy, run, unlistedAt = {} } = input;
      const fence = openFence(cluster, input);
      return await pollUntil<RetiringResult>({
        clock,
        what: `endpoints to leave ${node.name}`,
        deadlineMs: policy.waits.deadlines.endpointsRetiredMs,
        pollMs: lookEveryMs(policy),
        hint: 'Look at the DaemonSet pods that are named; then resume.',
        look: fence.around(async ({ now: began, memo }) => {
          const facts = await looking.cluster();
          const now = clock.now();
          const pods = podsOn(facts, node.name);
          const times = trackPods({ unlistedAt, ...memo }, pods, facts, now);
          const retirement = decideRetirement({ node, facts, policy, run, now, ...times });
          const { taint, actions, remaining, notProtected, reason } = retirement;
          if (remaining === 0) {
            const transitUntil = terminationNotBefore(await looking.serving(input), input.outSince, policy);
            const evidence = [{ kind: 'endpoints-retired', at: now, detail: reason } as const];
            return { done: true, value: { evidence, notProtected, transitUntil } };
          }
          const back = await retire({ taint, actions }, input, { fence, facts, began });
          if (back !== undefined) return { done: true, value: { ...back, notProtected, transitUntil: input.outSince } };
          if (taint) return { done: false, reason, memo: times, againInMs: 100 };
          const comes = leaveByThemselves({ pods, ...times }, policy.waits, now);
          const againInMs = nextLookMs(actions, times.unlistedAt, policy);
          return { done: false, reason, comes, memo: times, againInMs };
        }),
      });
    },
  };

  /** Claims are asked for only where it matters: volumes are attached, and pods that stay on the node have some. */
  async function lookAtVolumes(node: NodeRef, facts: ClusterFacts, now: number): Promise<WaitDecision> {
    const claims = claimsThatStay(node, facts, now);
    const staying = claims.length === 0 ? [] : await cluster.readClaims(claims);
    return decideDetached(node, facts, staying);
  }

  /**
   * Whether a round may begin: out of all load balancers, and, before the first pod is touched, rightly so. What was read since the round
   * `began` will do: many nodes that are emptied together share it.
   */
  async function lookBeforeActing(
    input: NodeStepInput,
    { begun, began, known }: { readonly begun: boolean; readonly began: number; readonly known: unknown },
  ): Promise<{ readonly result?: EndingResult; readonly held?: string; readonly lostSince?: number }> {
    const facts = await looking.serving(input, { since: began });
    const result = await findBack(input, facts);
    if (result !== undefined) return { result };
    if (!begun) await inSlices(layOutInSlices(facts));
    const lost = begun ? undefined : findLostGrant({ ...input, facts });
    if (lost === undefined) return {};
    const now = facts.observedAt;
    const lostSince = typeof known === 'number' ? known : now;
    if (now > lostSince && now - lostSince >= input.policy.waits.settleMs)
      return { result: { evidence: [], putBackBecause: lost } };
    return { held: `nothing is evicted: ${lost}`, lostSince };
  }

  /** A pod that was unlisted just now is looked at at once, to see it out of its endpoints; others when the next of them may go. */
  function nextLookMs(actions: readonly PodAction[], unlistedAt: UnlistedSince, policy: Policy): number {
    if (actions.some(({ kind }) => kind === 'unlist')) return Math.min(200, lookEveryMs(policy));
    const due = untilNextMayGo(unlistedAt, policy.waits, clock.now()) ?? Number.POSITIVE_INFINITY;
    return Math.min(due, lookEveryMs(policy));
  }
}

/** Name of the node's pool when it is the new one, whose nodes leave only in an abort. */
function poolTurnedBackFrom({ pool, policy }: NodeStepInput): string | undefined {
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
  return podsOn(facts, node.name).some((pod) => pod.unlisted?.by === run);
}

function podsOn(facts: ClusterFacts, node: string) {
  return indexOf(facts).podsOn(node);
}

function lookEveryMs({ waits }: Policy): number {
  return Math.min(longestPauseMs, waits.pollMs);
}
