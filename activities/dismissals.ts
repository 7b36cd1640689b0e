import type { BlockedPod } from '../core/drain/actions.ts';
import { decideDismissal, trackGone } from '../core/hand-over/dismissal.ts';
import { isReleasedBy } from '../core/hand-over/owned-pods.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { StepProgress } from '../core/status/progress.ts';
import type { Ports } from '../ports/ports.ts';
import type { PoolFence } from './fence.ts';
import { createGiveBack } from './give-back-acts.ts';
import type { Looking } from './looking.ts';
import { type ActingInTurn, createPodActs, timesIn, trackPods } from './pod-acts.ts';

/** On whose behalf, and what the looks before have left behind. */
export interface DismissalScope {
  readonly run: string;
  readonly policy: Policy;
  /** Epoch ms. */
  readonly now: number;
  readonly fence: PoolFence;
  /** What the last look answered. */
  readonly known: unknown;
}

/** What is to be kept for the next look, and who can't leave yet. */
export interface Dismissed {
  readonly known: Readonly<Record<string, unknown>>;
  readonly blocked: readonly BlockedPod[];
  /** How many are on their way. */
  readonly leaving: number;
  /** The first of them in words; undefined when there is none. */
  readonly reason: string | undefined;
}

/** What is put right about released pods in every look of a step that waits, on the way forward. */
export function createDismissals(ports: Ports, looking: Looking) {
  const { clock } = ports;
  const { carryOut } = createPodActs(ports, looking);
  return {
    /** Takes off marks that mean nothing any more, and has those leave that nobody wants. */
    dismiss: async (facts: ClusterFacts, { run, policy, now, fence, known }: DismissalScope): Promise<Dismissed> => {
      await createGiveBack(fence.acting).keepUp(facts, run);
      const memo = (known ?? {}) as NonNullable<StepProgress['memo']>;
      const goneSince = trackGone(timesIn(memo['goneSince']), facts, run, now);
      const mine = facts.pods.filter((pod) => isReleasedBy(pod, run));
      const times = trackPods(memo, mine, facts, now);
      const question = { policy, run, ...times, goneSince };
      const acting: ActingInTurn = {
        run,
        fence,
        decide: (fresh) => decideDismissal({ ...question, facts: fresh, now: clock.now() }).actions,
        leaving: undefined,
      };
      const { actions, blocked, leaving } = decideDismissal({ ...question, facts, now });
      const refused: BlockedPod[] = [];
      for (const action of actions) {
        const outcome = await carryOut(action, acting, facts);
        if (outcome.blocked !== undefined) refused.push(outcome.blocked);
      }
      const all = [...blocked, ...refused];
      const [first] = all;
      const reason = first === undefined ? undefined : `${first.pod.namespace}/${first.pod.name}: ${first.reason}`;
      return { known: { ...times, goneSince }, blocked: all, leaving, reason };
    },
  };
}
