import { count } from '../../text/format.ts';
import { findCrowded } from '../host-spread.ts';
import { domainsOf, evenBy } from '../spread.ts';
import { maxReleased, workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/**
 * To a spread constraint that counts released pods a zone is full until they have left. Released in every zone at once, they are replaced in
 * every zone; one alone is replaced anywhere.
 */
export const spread: PodSurgeRule = (pod, { cluster, policy }) => {
  const key = evenBy(pod);
  const workload = workloadOf(pod, cluster);
  if (key === undefined || workload === undefined) return undefined;
  const domains = domainsOf(workload, key, cluster).length;
  const most = maxReleased(workload, { cluster, policy });
  if (most >= Math.min(domains, workload.replicas)) return undefined;
  return {
    reason: `its topologySpreadConstraints by ${key} count released pods, and no more than ${count(most, 'pod')} may be surplus while it runs in ${domains} of them`,
    hint: `Add matchLabelKeys: [pod-template-hash] to the constraint, or allow ${count(domains, 'pod')} beyond its replicas (surplus).`,
  };
};

/** Replacements have room beside what is there only as far as each node takes them; a constraint that counts released pods has them as before. */
export const hosts: PodSurgeRule = (pod, { cluster, policy }) => {
  const crowded = findCrowded(pod, cluster, policy);
  if (crowded === undefined || crowded.spread.countsReleased) return undefined;
  const { pods, spread: by, fit } = crowded;
  return {
    reason: `its topologySpreadConstraints by ${by.topologyKey} count emptied nodes too: ${fit} of its ${count(pods, 'pod')} fit on new ones`,
    hint: 'Set nodeTaintsPolicy: Honor in the constraint.',
  };
};
