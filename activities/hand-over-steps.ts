import type { ServiceBaseline } from '../core/guard/baseline.ts';
import { findDistrust } from '../core/guard/distrust.ts';
import { chooseWave } from '../core/hand-over/choose-wave.ts';
import { trackGone } from '../core/hand-over/dismissal.ts';
import { decideReleasedEviction } from '../core/hand-over/evict-released.ts';
import { decideExchanges, type ExchangeQuestion } from '../core/hand-over/exchange.ts';
import { explainGiveBack, type GiveBackAct } from '../core/hand-over/give-back.ts';
import { decideHandOverRound, type HandOverRound } from '../core/hand-over/hand-over-round.ts';
import { type AwaitedWorkload, findTooLate, judgeLate, type LateSince } from '../core/hand-over/late-workloads.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PodFacts } from '../core/model/pod.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { UnplacedPods } from '../core/model/unplaced.ts';
import type { StepProgress } from '../core/status/progress.ts';
import { findAside, type NodesAside } from '../core/waits/hosts.ts';
import type { Ports } from '../ports/ports.ts';
import { type Asked, askBeforeHandOver, createTrials } from './ask-before-hand-over.ts';
import { createDismissals } from './dismissals.ts';
import { openLooseFence, openPoolFence, type PoolFence, type PoolStepInput } from './fence.ts';
import { createGiveBack } from './give-back-acts.ts';
import type { Looking } from './looking.ts';
import { createMoves } from './moves.ts';
import { type ActingInTurn, type ActOutcome, createPodActs, tellBlocked, timesIn, trackPods } from './pod-acts.ts';
import { type Outcome, pollUntil, throwIfCancelled } from './polling.ts';

/** Pods come up within seconds, ms. */
const lookEveryMs = 1_000;

/** ReplicaSets react within moments, ms. */
const givenBackWithinMs = 120_000;

/** Nodes whose pods are to be handed over, as many of them as may be at a time. */
export interface HandOverInput extends PoolStepInput {
  /** Nodes that are to go, in their order. */
  readonly waiting: readonly NodeRef[];
  /** Name of their pool, when it is the new one that a run turns back from. */
  readonly turnedBackFrom?: string;
  /** Pods that had no node when the run was planned; see UnplacedPods. */
  readonly unplaced?: UnplacedPods;
  /** What Services were seen to serve at their best; absent where nobody asks what zones keep. */
  readonly baselines?: readonly ServiceBaseline[];
  /** Workloads that could not be handed over with the nodes before: nobody tries again. */
  readonly givenUp?: readonly string[];
}

/** What a hand-over came to. */
export interface HandedOver {
  /** The nodes whose pods' replacements serve: they may leave together. */
  readonly wave: readonly NodeRef[];
  /** Pods on them that have been released, by node. */
  readonly released: Readonly<Record<string, number>>;
  /** Workloads whose replacements did not come up, each with what was seen last. */
  readonly givenUp: readonly { readonly workload: string; readonly reason: string }[];
  /** Nodes with ready pods to which load balancers send nothing, and which were not waited for. */
  readonly aside?: NodesAside;
}

/** Steps that have pods replaced before they leave, and give them back. */
export function createHandOverSteps(ports: Ports, looking: Looking) {
  const { clock, cluster } = ports;
  const { dismiss } = createDismissals(ports, looking);
  const { carryOut } = createPodActs(ports, looking);
  const { move } = createMoves(ports, looking);
  const trials = createTrials(cluster);

  return {
    /**
     * Releases the pods of the next nodes from their ReplicaSets and waits until their replacements serve, in each zone that must keep one. A workload whose replacements are
     * not there by the deadline gets its pods back, as far as no serving replacement has to go for it, and is evicted within its budget.
     */
    handOver: async (input: HandOverInput): Promise<Outcome<HandedOver>> => {
      const {
        run,
        policy,
        waiting,
        turnedBackFrom: leaving,
        unplaced = {},
        baselines = [],
        givenUp: lost = [],
      } = input;
      let asked: Asked | undefined;
      const fence = openPoolFence(cluster, input);
      return await pollUntil<HandedOver>({
        clock,
        what: 'replacements of released pods',
        deadlineMs: undefined,
        pollMs: lookEveryMs,
        hint: 'See why the replacements are not there; then resume.',
        look: fence.around<HandedOver>(async ({ now, since, memo }) => {
          const facts = await looking.serving({ policy, baselines: [] }, { since: now - policy.waits.pollMs });
          const distrust = findDistrust(facts, policy);
          // Whatever was late before may have come meanwhile: nobody has seen it.
          if (distrust !== undefined)
            return { done: false, reason: distrust, memo: { ...memo, lateSince: {}, agreed: false } };
          asked ??= await askBeforeHandOver({ cluster, tryRelease: trials(run) }, waiting, {
            facts: facts.cluster,
            policy,
          });
          const context = { policy, ...asked };
          const dismissed = await dismiss(facts.cluster, { run, policy, now, fence, known: memo['dismissed'] });
          if (leaving !== undefined && (await exchange({ ...context, cluster: facts.cluster, run, leaving }, fence)))
            return { done: false, reason: 'pods change places', memo, againInMs: 100 };
          const known = memo['wave'] as readonly NodeRef[] | undefined;
          const mostNodes = policy.guard.maxInFlight;
          const wave = known ?? chooseWave({ ...context, cluster: facts.cluster, waiting, mostNodes });
          const hosts = { facts, policy, leaving: leaving ?? policy.pool.name };
          const aside = (memo['aside'] as NodesAside | undefined) ?? findAside(hosts);
          const before = (memo['givenUp'] as HandedOver['givenUp'] | undefined) ?? [];
          const names = [...lost, ...before.map(({ workload }) => workload)];
          const patient = now - since < policy.waits.settleAfterOutageMs;
          const round = decideHandOverRound({
            ...context,
            ...hosts,
            run,
            wave,
            givenUp: names,
            unplaced,
            aside,
            patient,
          });
          const denied = await release(round.release, run, fence);
          const places = { ...context, facts, baselines, run, wave, givenUp: names, leaving: policy.pool.name, now };
          const { awaited, kept: placed } =
            leaving === undefined
              ? await move({ ...places, fence }, (memo['places'] ?? {}) as NonNullable<StepProgress['memo']>)
              : { awaited: [], kept: {} };
          const misplaced = awaited.map(({ workload, reason, isHopeless }): AwaitedWorkload => {
            return { workload, reason, kind: isHopeless ? 'hopeless' : 'later' };
          });
          const beside = [...denied, ...misplaced];
          const kept = { wave, aside, givenUp: before, dismissed: dismissed.known, places: placed };
          if (round.done && beside.length === 0 && dismissed.leaving === 0) {
            if (memo['agreed'] !== true) return { done: false, reason: round.reason, memo: { ...kept, agreed: true } };
            const released = countReleasedOn(wave, facts.cluster, run);
            return { done: true, value: { wave, released, givenUp: before, aside: round.aside } };
          }
          const lateBefore = (memo['lateSince'] as LateSince | undefined) ?? {};
          const { lateSince, tooLate } = findTooLate([...round.awaited, ...beside], lateBefore, now, policy);
          const { giveUp, holds } =
            leaving === undefined ? judgeLate(tooLate, facts.cluster, policy) : { giveUp: tooLate, holds: undefined };
          const lostNow = giveUp.map(({ workload }) => workload);
          if (lostNow.length > 0) await giveBackWorkloads(facts.cluster, run, lostNow, fence);
          const told = giveUp.map(({ workload, reason }) => ({ workload, reason }));
          const memoNow = { ...kept, lateSince, givenUp: [...before, ...told] };
          if (holds !== undefined) return { done: false, ...holds, memo: memoNow, giveUp: true };
          const reason = round.done && beside.length > 0 ? tellLate(beside) : round.reason;
          return { done: false, reason, memo: memoNow };
        }),
      });
    },

    /** Gives pods back to their ReplicaSets as far as none that serves has to go for it; the others serve on. */
    giveBack: async (input: PoolStepInput): Promise<Outcome> => {
      const fence = openLooseFence(cluster, input);
      const { giveBackNow } = createGiveBack(fence.acting);
      return await pollUntil<object>({
        clock,
        what: 'released pods to be given back',
        deadlineMs: givenBackWithinMs,
        pollMs: lookEveryMs,
        hint: 'Look at the ReplicaSets of the pods that are named; then resume.',
        look: fence.around<object>(async () => {
          const given = await giveBackNow(await looking.cluster(), input.run);
          if (given.acts.length === 0 && given.awaited.length === 0) return { done: true, value: {} };
          return { done: false, reason: explainGiveBack(given) };
        }),
      });
    },

    /**
     * Evicts the released pods that no ReplicaSet takes back any more, within their budgets, where others serve in their stead; those that
     * nobody stands in for serve on.
     */
    evictReleased: async (input: PoolStepInput): Promise<Outcome> => {
      const { run, policy } = input;
      const fence = openPoolFence(cluster, input);
      return await pollUntil<object>({
        clock,
        what: 'released pods to leave',
        deadlineMs: policy.waits.deadlines.evictionMs,
        pollMs: lookEveryMs,
        hint: 'Mend what is named (a budget, pods that are not ready, a pod that hangs), then resume.',
        look: fence.around<object>(async ({ now, memo }) => {
          const facts = await looking.cluster();
          await createGiveBack(fence.acting).keepUp(facts, run);
          const goneSince = trackGone(timesIn(memo['goneSince']), facts, run, now);
          const times = trackPods(
            memo,
            facts.pods.filter(({ released }) => released?.by === run),
            facts,
            now,
          );
          const round = decideReleasedEviction({ facts, policy, run, now, goneSince, ...times });
          if (round.remaining === 0) return { done: true, value: {} };
          const acting: ActingInTurn = {
            run,
            fence,
            decide: (fresh) =>
              decideReleasedEviction({ facts: fresh, policy, run, now: clock.now(), goneSince, ...times }).actions,
            leaving: undefined,
          };
          const outcomes: ActOutcome[] = [];
          for (const action of round.actions) outcomes.push(await carryOut(action, acting, facts));
          const refused = outcomes.flatMap(({ blocked }) => blocked ?? []);
          const blocked = tellBlocked([...round.blocked, ...refused], memo['blocked'], now);
          return { done: false, reason: round.reason, blocked, memo: { ...times, goneSince, blocked } };
        }),
      });
    },
  };

  /** Releases pods; answers whose may not be, by the word of an admission that was asked. */
  async function release(
    pods: HandOverRound['release'],
    run: string,
    { acting }: PoolFence,
  ): Promise<readonly AwaitedWorkload[]> {
    const denied = new Map<string, AwaitedWorkload>();
    for (const { pod, from } of pods) {
      const { workload } = from;
      if (denied.has(workload)) continue;
      throwIfCancelled();
      try {
        await acting.release(pod, from, run);
      } catch (error) {
        if (!(error instanceof NodeferryError) || error.problem.code !== 'AdmissionDenied') throw error;
        denied.set(workload, { workload, kind: 'hopeless', reason: error.problem.message });
      }
    }
    return [...denied.values()];
  }

  /** Whether any pods did. */
  async function exchange(question: ExchangeQuestion, { acting }: PoolFence): Promise<boolean> {
    const { cluster: facts, run, leaving } = question;
    await createGiveBack(acting).giveBackNow(facts, run, { leaving });
    const exchanges = decideExchanges(question);
    for (const { keeps, pairs } of exchanges) {
      for (const pod of keeps) await acting.raiseDeletionCost(pod, run);
      for (const { release, adopt } of pairs) {
        throwIfCancelled();
        const outcome = await acting.release(release.pod, release.from, run);
        if (outcome === 'done') await acting.adopt(adopt, run);
      }
    }
    return exchanges.length > 0;
  }

  async function giveBackWorkloads(
    facts: ClusterFacts,
    run: string,
    workloads: readonly string[],
    { acting }: PoolFence,
  ): Promise<void> {
    const { podsByUid } = indexOf(facts);
    const isOf = ({ pod }: GiveBackAct) => {
      const seen = podsByUid.get(pod.uid);
      return workloads.includes(seen?.released?.workload ?? seen?.workload ?? '');
    };
    await createGiveBack(acting).giveBackNow(facts, run, { isAsked: isOf });
  }
}

function countReleasedOn(nodes: readonly NodeRef[], facts: ClusterFacts, run: string): HandedOver['released'] {
  const isReleased = ({ released, terminating }: PodFacts) => released?.by === run && !terminating;
  return Object.fromEntries(nodes.map(({ name }) => [name, indexOf(facts).podsOn(name).filter(isReleased).length]));
}

function tellLate(late: readonly AwaitedWorkload[]): string {
  return late.map(({ workload, reason }) => `${workload}: ${reason}`).join('; ');
}
