import { count } from '../../text/format.ts';
import { findCrowded } from '../host-spread.ts';
import { domainsOf, evenBy } from '../spread.ts';
import { maxReleased, workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/**
 * For a spread constraint that counts released pods, a zone is full until they have left. If pods in every zone are released at once, each zone
 * gets a replacement. The replacement of a single pod may come to any zone.
 */
export const spread: PodSurgeRule = (pod, { cluster, policy }) => {
  const key = evenBy(pod);
  const workload = workloadOf(pod, cluster);
  if (key === undefined || workload === undefined) return undefined;
  const domains = domainsOf(workload, key, cluster).length;
  const max = maxReleased(workload, { cluster, policy });
  if (max >= Math.min(domains, workload.replicas)) return undefined;
  return {
    reason: `its topologySpreadConstraints by ${key} count released pods: it runs in ${domains} domains, and may have only ${count(max, 'pod')} above its replicas`,
    hint: `Add matchLabelKeys: [pod-template-hash] to the constraint, or allow ${count(domains, 'pod')} above its replicas (spec.podSurge.max).`,
  };
};

/** Replacements need room within the spread over hosts while the old pods still run. A constraint that counts released pods is the rule above. */
export const hosts: PodSurgeRule = (pod, { cluster, policy }) => {
  const crowded = findCrowded(pod, cluster, policy);
  if (crowded === undefined || crowded.spread.countsReleased) return undefined;
  const { pods, spread: by, fit } = crowded;
  return {
    reason: `its topologySpreadConstraints by ${by.topologyKey} also count emptied nodes: only ${fit} of its ${count(pods, 'pod')} fit on new ones`,
    hint: 'Set nodeTaintsPolicy: Honor in the constraint.',
  };
};
