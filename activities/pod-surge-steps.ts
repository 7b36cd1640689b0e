import { trackPods } from '../core/eviction/pod-times.ts';
import { learnBaselines } from '../core/guard/baseline.ts';
import { explainUnstable } from '../core/guard/stability.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PodFacts } from '../core/model/pod.ts';
import type { ClusterFacts, ServingFacts } from '../core/model/serving.ts';
import { type AdoptionAction, explainAdoption } from '../core/pod-surge/adoption.ts';
import { trackGone } from '../core/pod-surge/dismissal.ts';
import { decideReleasedEviction } from '../core/pod-surge/evict-released.ts';
import { type AwaitedWorkload, decideLate, requiredHint } from '../core/pod-surge/late-workloads.ts';
import { decidePodSurgeRound } from '../core/pod-surge/pod-surge-round.ts';
import { selectBatch } from '../core/pod-surge/select-batch.ts';
import { decideSwapsAfterDrain } from '../core/pod-surge/swap-after-drain.ts';
import { leavingOf } from '../core/policy/members.ts';
import type { Policy } from '../core/policy/policy.ts';
import { recordBlocked } from '../core/status/blocked.ts';
import {
  type EvictReleasedCheckpoint,
  type PodSurgeCheckpoint,
  readEvictReleased,
  readPodSurge,
} from '../core/status/checkpoint.ts';
import { findAside } from '../core/waits/hosts.ts';
import { type Asked, askBeforePodSurge, createTrials } from '../operations/ask-before-pod-surge.ts';
import type { Observer } from '../operations/observer.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { ClusterObserver } from '../ports/cluster/observer.ts';
import type { Ports } from '../ports/ports.ts';
import { createAdoption } from './adoption.ts';
import type { Agreements } from './agreements.ts';
import { createDismissals } from './dismissals.ts';
import { type Fence, openLooseFence, openPoolFence, type PoolStepInput } from './fence.ts';
import { createMoves } from './moves.ts';
import { createPodExecutor, type FencedCluster } from './pod-executor.ts';
import type { PodSurgeInput, PodSurgeResult } from './pod-surge.ts';
import { type Outcome, pollUntil } from './polling.ts';
import { executeSwaps, releasePods, swapPods } from './release-pods.ts';

/** Pods start within seconds: the longest time between two observations of them, ms. */
const maxPollIntervalMs = 1_000;

/** ReplicaSets react within seconds, ms. */
const adoptedWithinMs = 120_000;

/** Steps that have pods replaced before they leave, and return them to their ReplicaSets. */
export function createPodSurgeSteps(
  ports: Ports<ClusterObserver & Actions & Fencing & Locks>,
  { observer, agreements }: { readonly observer: Observer; readonly agreements: Agreements },
) {
  const { clock, cluster } = ports;
  const { dismiss } = createDismissals(ports, observer);
  const { executeAll } = createPodExecutor(ports, observer);
  const { move } = createMoves(ports, observer);
  const trials = createTrials(cluster);

  return {
    /**
     * Releases the pods of the next nodes from their ReplicaSets and waits until their replacements serve, in each zone that must keep one. If
     * the replacements of a workload do not serve by the deadline, its pods are adopted as far as that removes no serving replacement, and are
     * evicted within their budget.
     */
    surgePods: async (input: PodSurgeInput): Promise<Outcome<PodSurgeResult>> => {
      const { run, policy, waiting, direction, unplaced = {}, baselines = [], evictedInstead: lost = [] } = input;
      let asked: Asked | undefined;
      const fence = openPoolFence(cluster, input);
      const acting = cluster.guarded(fence.check);
      return await pollUntil<PodSurgeResult>({
        clock,
        what: 'replacements of released pods',
        deadlineMs: undefined,
        pollIntervalMs: pollIntervalMsOf(policy),
        hint: requiredHint,
        poll: fence.around<PodSurgeResult>(async ({ now, since, checkpoint }) => {
          const known = readPodSurge(checkpoint);
          // The second of two observations that agree is not the first one, read again.
          const olderMs = known.wasDone ? 0 : policy.waits.pollIntervalMs;
          const facts = await observer.serving({ policy, baselines: input.baselines }, { since: now - olderMs });
          const unstable = explainUnstable(facts, policy);
          // Whatever was late before may have arrived meanwhile without being observed.
          if (unstable !== undefined) {
            agreements.clear(run);
            return { done: false, reason: unstable, checkpoint: { ...known, lateSince: {}, wasDone: false } };
          }
          asked ??= await askBeforePodSurge({ cluster, tryRelease: trials(run) }, waiting, {
            facts: facts.cluster,
            policy,
          });
          const context = { policy, ...asked };
          const dismissed = await dismiss(facts.cluster, { ...input, now, fence, known: known.dismissed });
          const leaving = leavingOf(facts.cluster, policy, direction);
          if (direction === 'back' && (await swapPods(acting, { ...context, cluster: facts.cluster, run, leaving })))
            return { done: false, reason: 'pods are being swapped', checkpoint, requeueAfterMs: 100 };
          const maxNodes = policy.guard.maxInFlight;
          const batch = known.batch ?? selectBatch({ ...context, cluster: facts.cluster, waiting, maxNodes });
          const hosts = { facts, policy, leaving };
          const aside = known.aside ?? findAside(hosts);
          const before = known.evictedInstead;
          const names = [...lost, ...before.map(({ workload }) => workload)];
          const patient = now - since < policy.waits.stabilizationAfterOutageMs;
          const round = decidePodSurgeRound({
            ...context,
            ...hosts,
            run,
            batch,
            evictedInstead: names,
            unplaced,
            aside,
            patient,
          });
          const denied = await releasePods(acting, round.release, run);
          const places = {
            ...context,
            facts,
            baselines,
            run,
            batch,
            evictedInstead: names,
            leaving,
            now,
          };
          const { awaited, kept: placed } =
            direction === 'forward'
              ? await move({ ...input, ...places, fence }, known.places)
              : { awaited: [], kept: known.places };
          const misplaced = awaited.map(({ workload, reason, isHopeless }): AwaitedWorkload => {
            return { workload, reason, kind: isHopeless ? 'hopeless' : 'later' };
          });
          const beside = [...denied, ...misplaced];
          const kept = {
            lateSince: {},
            wasDone: false,
            batch,
            aside,
            evictedInstead: before,
            dismissed: dismissed.known,
            places: placed,
          };
          if (round.done && beside.length === 0 && dismissed.leaving === 0) {
            const done: PodSurgeCheckpoint = { ...kept, wasDone: true };
            await agree(input, { batch, facts, now });
            if (!known.wasDone) return { done: false, reason: round.reason, checkpoint: done };
            const released = countReleasedOn(batch, facts.cluster, run);
            return { done: true, value: { batch, released, evictedInstead: before, aside: round.aside } };
          }
          agreements.clear(run);
          const { lateSince, expired, stalled } = decideLate([...round.awaited, ...beside], known.lateSince, {
            cluster: facts.cluster,
            policy,
            now,
            isRollingBack: direction === 'back',
          });
          const lostNow = expired.map(({ workload }) => workload);
          if (lostNow.length > 0) await adoptForWorkloads(facts.cluster, run, lostNow, fence);
          const told = expired.map(({ workload, reason }) => ({ workload, reason }));
          const checkpointNow: PodSurgeCheckpoint = { ...kept, lateSince, evictedInstead: [...before, ...told] };
          if (stalled !== undefined) return { done: false, ...stalled, checkpoint: checkpointNow, expired: true };
          const reason = round.done && beside.length > 0 ? explainLate(beside) : round.reason;
          return { done: false, reason, checkpoint: checkpointNow };
        }),
      });
    },

    /**
     * Returns pods to their ReplicaSets as far as that removes no pod that serves; the others continue to serve. With `nodes`, only pods on these. After
     * a drain, replacements that may leave their nodes are released instead of pods that may not.
     */
    adoptPods: async (input: PoolStepInput & { readonly nodes?: readonly NodeRef[] }): Promise<Outcome> => {
      const limits = input.nodes === undefined ? {} : { nodes: input.nodes.map(({ name }) => name) };
      const fence = openLooseFence(cluster, input);
      const { run, policy } = input;
      const acting = cluster.guarded(fence.check);
      const { adoptNow } = createAdoption(acting);
      const asked = { sharedVolumeClaims: new Set<string>(), denials: new Map<string, string>() };
      return await pollUntil<object>({
        clock,
        what: 'released pods to be adopted',
        deadlineMs: adoptedWithinMs,
        pollIntervalMs: pollIntervalMsOf(policy),
        hint: 'Check the ReplicaSets of the pods that are named; then resume.',
        poll: fence.around<object>(async () => {
          const facts = await observer.cluster();
          const question = { ...asked, policy, cluster: facts, run };
          const swaps = policy.selection === undefined ? [] : decideSwapsAfterDrain(question);
          await executeSwaps(acting, swaps, run);
          if (swaps.length > 0) return { done: false, reason: 'pods are being swapped' };
          const given = await adoptNow(facts, run, limits);
          if (given.actions.length === 0 && given.awaited.length === 0) return { done: true, value: {} };
          return { done: false, reason: explainAdoption(given) };
        }),
      });
    },

    /**
     * Evicts the released pods that no ReplicaSet adopts any more, within their budgets, where others serve in their place; those without
     * replacement continue to serve.
     */
    evictReleased: async (input: PoolStepInput & Pick<PodSurgeInput, 'baselines'>): Promise<Outcome> => {
      const { run, policy, baselines } = input;
      const fence = openPoolFence(cluster, input);
      return await pollUntil<object>({
        clock,
        what: 'released pods to leave',
        deadlineMs: policy.waits.deadlines.evictionMs,
        pollIntervalMs: pollIntervalMsOf(policy),
        hint: 'Fix what is named (a budget, pods that are not ready, a pod that is stuck), then resume.',
        poll: fence.around<object>(async ({ now, checkpoint }) => {
          const facts = await observer.withPodTargets({ policy, baselines }, now - policy.waits.pollIntervalMs);
          await createAdoption(cluster.guarded(fence.check)).keepUp(facts, run);
          const known = readEvictReleased(checkpoint);
          const goneSince = trackGone(known.goneSince, facts, run, now);
          const times = trackPods(
            known,
            facts.pods.filter(({ released }) => released?.by === run),
            { facts, policy, now },
          );
          const question = { ...input, goneSince, ...times };
          const round = decideReleasedEviction({ ...question, facts, now });
          if (round.remaining === 0) return { done: true, value: {} };
          const acting: FencedCluster = {
            run,
            fence,
            decide: (fresh) => decideReleasedEviction({ ...question, facts: fresh, now: clock.now() }).actions,
            policy,
            leaving: undefined,
          };
          const { rejected, impossible, ...outcome } = await executeAll(round.actions, acting, {
            facts,
            rejected: known.rejected,
          });
          const blocked = recordBlocked([...round.blocked, ...outcome.blocked], known.blocked, now);
          const { reason } = round;
          if (impossible !== undefined) return { done: false, reason, blocked, problem: impossible };
          const next: EvictReleasedCheckpoint = { ...times, goneSince, blocked, rejected };
          return { done: false, reason, blocked, checkpoint: next };
        }),
      });
    },
  };

  /** Observations that find every replacement serving count for the nodes' exclusion, which comes next, and in which observations have to agree. */
  async function agree(
    input: PodSurgeInput,
    { batch, facts, now }: { readonly batch: readonly NodeRef[]; readonly facts: ServingFacts; readonly now: number },
  ): Promise<void> {
    if (input.direction === 'back') return;
    const { run, policy, baselines = [] } = input;
    const seen = { ...facts, incomingPools: await cluster.findIncomingPools() };
    const learned = learnBaselines(baselines, seen, policy);
    await agreements.observe(run, now, { facts: seen, policy, baselines: learned, inFlight: [], waiting: batch });
  }

  async function adoptForWorkloads(
    facts: ClusterFacts,
    run: string,
    workloads: readonly string[],
    fence: Fence,
  ): Promise<void> {
    const { podsByUid } = indexOf(facts);
    const isOf = ({ pod }: AdoptionAction) => {
      const seen = podsByUid.get(pod.uid);
      return workloads.includes(seen?.released?.workload ?? seen?.workload ?? '');
    };
    await createAdoption(cluster.guarded(fence.check)).adoptNow(facts, run, { isAsked: isOf });
  }
}

function countReleasedOn(nodes: readonly NodeRef[], facts: ClusterFacts, run: string): PodSurgeResult['released'] {
  const isReleased = ({ released, terminating }: PodFacts) => released?.by === run && !terminating;
  return Object.fromEntries(nodes.map(({ name }) => [name, indexOf(facts).podsOn(name).filter(isReleased).length]));
}

/** Time between two observations of pods, ms. */
function pollIntervalMsOf({ waits }: Policy): number {
  return Math.min(maxPollIntervalMs, waits.pollIntervalMs);
}

function explainLate(late: readonly AwaitedWorkload[]): string {
  return late.map(({ workload, reason }) => `${workload}: ${reason}`).join('; ');
}
