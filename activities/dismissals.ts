import type { BlockedPod } from '../core/eviction/actions.ts';
import { trackPods } from '../core/eviction/pod-times.ts';
import type { UnreadyBefore } from '../core/eviction/unready-before.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import { decideDismissal, trackGone } from '../core/pod-surge/dismissal.ts';
import { isReleasedBy } from '../core/pod-surge/owned-pods.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { DismissalCheckpoint } from '../core/status/checkpoint.ts';
import type { Observer } from '../operations/observer.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { Ports } from '../ports/ports.ts';
import { createAdoption } from './adoption.ts';
import type { Fence } from './fence.ts';
import { createPodExecutor, type FencedCluster } from './pod-executor.ts';

/** The run, and what earlier polls have left behind. */
interface DismissalScope {
  readonly run: string;
  readonly policy: Policy;
  /** Epoch ms. */
  readonly now: number;
  readonly fence: Fence;
  /** See findLasting. */
  readonly unreadyBefore?: UnreadyBefore;
  /** The result of the last poll. */
  readonly known: DismissalCheckpoint;
}

/** What the next poll needs, and which pods can't leave yet. */
interface Dismissed {
  readonly known: DismissalCheckpoint;
  readonly blocked: readonly BlockedPod[];
  /** Number of pods that are leaving. */
  readonly leaving: number;
  /** The reason for the first blocked pod; undefined when there is none. */
  readonly reason: string | undefined;
}

/** What every poll of a waiting step maintains about released pods while a run proceeds. */
export function createDismissals(ports: Ports<Actions & Locks>, observer: Observer) {
  const { clock, cluster } = ports;
  const { executeAll } = createPodExecutor(ports, observer);
  return {
    /** Removes ownership marks that no longer apply, and dismisses released pods that are no longer needed. */
    dismiss: async (facts: ClusterFacts, scope: DismissalScope): Promise<Dismissed> => {
      const { now, fence, known, ...asked } = scope;
      const { run, policy } = asked;
      await createAdoption(cluster.guarded(fence.check)).keepUp(facts, run);
      const goneSince = trackGone(known.goneSince, facts, run, now);
      const mine = facts.pods.filter((pod) => isReleasedBy(pod, run));
      const times = trackPods(known, mine, { facts, policy, now });
      const question = { ...asked, ...times, goneSince };
      const acting: FencedCluster = {
        run,
        fence,
        decide: (fresh) => decideDismissal({ ...question, facts: fresh, now: clock.now() }).actions,
        policy,
        leaving: undefined,
      };
      const { actions, blocked, leaving } = decideDismissal({ ...question, facts, now });
      const outcome = await executeAll(actions, acting, { facts, rejected: known.rejected });
      const all = [...blocked, ...outcome.blocked];
      const [first] = all;
      const reason = first === undefined ? undefined : `${first.pod.namespace}/${first.pod.name}: ${first.reason}`;
      return { known: { ...times, goneSince, rejected: outcome.rejected }, blocked: all, leaving, reason };
    },
  };
}
