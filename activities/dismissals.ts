import type { BlockedPod } from '../core/eviction/actions.ts';
import { trackPods } from '../core/eviction/pod-times.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import { decideDismissal, trackGone } from '../core/pod-surge/dismissal.ts';
import { isReleasedBy } from '../core/pod-surge/owned-pods.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { DismissalCheckpoint } from '../core/status/checkpoint.ts';
import type { Observer } from '../operations/observer.ts';
import type { Ports } from '../ports/ports.ts';
import { createAdoption } from './adoption.ts';
import type { PoolFence } from './fence.ts';
import { createPodActs, type FencedCluster } from './pod-acts.ts';

/** On whose behalf, and what the looks before have left behind. */
export interface DismissalScope {
  readonly run: string;
  readonly policy: Policy;
  /** Epoch ms. */
  readonly now: number;
  readonly fence: PoolFence;
  /** What the last look answered. */
  readonly known: DismissalCheckpoint;
}

/** What is to be kept for the next look, and who can't leave yet. */
export interface Dismissed {
  readonly known: DismissalCheckpoint;
  readonly blocked: readonly BlockedPod[];
  /** How many are on their way. */
  readonly leaving: number;
  /** The first of them in words; undefined when there is none. */
  readonly reason: string | undefined;
}

/** What is put right about released pods in every look of a step that waits, on the way forward. */
export function createDismissals(ports: Ports, observer: Observer) {
  const { clock } = ports;
  const { carryOutAll } = createPodActs(ports, observer);
  return {
    /** Takes off marks that mean nothing any more, and has those leave that nobody wants. */
    dismiss: async (facts: ClusterFacts, { run, policy, now, fence, known }: DismissalScope): Promise<Dismissed> => {
      await createAdoption(fence.acting).keepUp(facts, run);
      const goneSince = trackGone(known.goneSince, facts, run, now);
      const mine = facts.pods.filter((pod) => isReleasedBy(pod, run));
      const times = trackPods(known, mine, facts, now);
      const question = { policy, run, ...times, goneSince };
      const acting: FencedCluster = {
        run,
        fence,
        decide: (fresh) => decideDismissal({ ...question, facts: fresh, now: clock.now() }).actions,
        leaving: undefined,
      };
      const { actions, blocked, leaving } = decideDismissal({ ...question, facts, now });
      const outcome = await carryOutAll(actions, acting, { facts, rejected: known.rejected });
      const all = [...blocked, ...outcome.blocked];
      const [first] = all;
      const reason = first === undefined ? undefined : `${first.pod.namespace}/${first.pod.name}: ${first.reason}`;
      return { known: { ...times, goneSince, rejected: outcome.rejected }, blocked: all, leaving, reason };
    },
  };
}
