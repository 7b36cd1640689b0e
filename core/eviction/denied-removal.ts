/** Pods from which admission does not let a run remove the labels by which Services select them. */
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { listNames } from '../text/format.ts';
import type { PodAction } from './actions.ts';
import { findEvictedWhileTarget } from './endpoint-removal.ts';
import { evictAsItIs } from './eviction-round.ts';
import { explainStillEndpoint } from './stale-endpoints.ts';

/** One observation, under a policy. */
interface DeniedQuestion {
  readonly facts: ClusterFacts;
  readonly policy: Policy;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * What is done about a pod that was to be removed from its endpoints, and may not be. It is evicted as an endpoint, like every pod that can't be
 * removed first, and what that does not protect is reported. It stays where load balancers would send to it after it has stopped, unless that was
 * accepted for its Services: a plan with such pods is refused, and the run did not know. `stays` says why, as text.
 */
export function decideInstead(
  seen: PodFacts,
  { facts, policy, now }: DeniedQuestion,
  why: string,
): { readonly action: PodAction } | { readonly stays: string } {
  const { pod, denied, stays } = judgeDenied(seen, { facts, policy }, why);
  if (stays !== undefined) return { stays };
  const listed = explainStillEndpoint(pod, denied, policy, now);
  if (listed !== undefined) return { stays: `${listed.reason}, and ${why}` };
  return { action: evictAsItIs(pod, { facts: denied, policy }) };
}

/** The same for a pod that eviction leaves on its node, and which is deleted as it is: why it stays, if it does. */
export function explainStays(
  seen: PodFacts,
  question: Pick<DeniedQuestion, 'facts' | 'policy'>,
  why: string,
): string | undefined {
  return judgeDenied(seen, question, why).stays;
}

function judgeDenied(seen: PodFacts, { facts, policy }: Pick<DeniedQuestion, 'facts' | 'policy'>, why: string) {
  // Also one that was removed before, and whose labels somebody has added again, is an endpoint now.
  const { endpointsRemoved: _, ...pod } = seen;
  const denied: ClusterFacts = { ...facts, deniedRemovals: { [pod.uid]: why } };
  const sent = findEvictedWhileTarget(pod, denied, policy);
  const stays = sent === undefined || sent.isAccepted ? undefined : `${listNames(sent.groups)} sends to it, and ${why}`;
  return { pod, denied, stays };
}
