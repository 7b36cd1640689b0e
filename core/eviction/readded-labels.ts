/** Labels that somebody adds again to a pod that a run has removed from its Services. */

import { servicesOf } from '../model/endpoints.ts';
import type { ExternalChange } from '../model/external-change.ts';
import { type PodFacts, podRefOf } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { listNames } from '../text/format.ts';
import { type BlockedPod, blockedPod, type PodAction } from './actions.ts';
import { selectLabels } from './endpoint-removal.ts';

/**
 * What to do about a removed pod whose labels a Service selects again: it is removed once more, and that is reported. Either somebody has
 * written the labels again (a tool that keeps them as they were, a person), or a new Service selects it by others. Undefined while none does.
 */
export function decideRemoveAgain(
  pod: PodFacts,
  cluster: ClusterFacts,
): { readonly action: PodAction; readonly blocked: BlockedPod } | undefined {
  if (pod.endpointsRemoved === undefined || pod.terminating) return undefined;
  const removeLabels = selectLabels(pod, cluster);
  if (removeLabels.length === 0) return undefined;
  return {
    action: { kind: 'remove-endpoints', pod: podRefOf(pod), removeLabels },
    blocked: blockedPod(pod, describe(pod, removeLabels, cluster)),
  };
}

/** The same as an external change, for the report. */
export function findReadded(pods: readonly PodFacts[], cluster: ClusterFacts, now: number): readonly ExternalChange[] {
  return pods.flatMap((pod) => {
    const again = decideRemoveAgain(pod, cluster);
    return again === undefined ? [] : [{ at: now, what: `${pod.namespace}/${pod.name}: ${again.blocked.reason}` }];
  });
}

function describe(pod: PodFacts, labels: readonly string[], cluster: ClusterFacts): string {
  const services = servicesOf(pod, cluster).map(({ key }) => key);
  return `it was removed from endpoints, and ${listNames(services)} selects it again by label ${listNames(labels)}, which somebody has added; it is removed again`;
}
