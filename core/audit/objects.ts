import { indexOf } from '../model/cluster-index.ts';
import { ownerOf, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { AuditedObject } from './rule.ts';

/** Kinds by the words with which findings of the plan name their subject. */
const kinds: Readonly<Record<string, string>> = {
  service: 'Service',
  pdb: 'PodDisruptionBudget',
  node: 'Node',
  pool: 'Pool',
  daemonset: 'DaemonSet',
  'static pod': 'Pod',
};

/** The object of a finding of the plan. For pods it is their workload, because that is where a fix belongs. */
export function objectOfSubject(subject: string, cluster: ClusterFacts): AuditedObject {
  const [, namespace = '', name = ''] = /^pod ([^/]+)\/(\S+)$/.exec(subject) ?? [];
  const pod = indexOf(cluster)
    .podsIn(namespace)
    .find((one) => one.name === name);
  if (pod !== undefined) return workloadOf(pod);
  const [, bareIn, names = ''] = /^\d+ pods of namespace (\S+) \((.*)\)$/.exec(subject) ?? [];
  if (bareIn !== undefined) return { kind: 'Pod', namespace: bareIn, name: names.replaceAll(`${bareIn}/`, '') };
  const [, owner] = /^\d+ pods of (\S+ \S+) \(/.exec(subject) ?? [];
  if (owner !== undefined) return objectOfKey(owner);
  const [, word = '', rest = ''] = /^(service|pdb|node|pool|daemonset|static pod) (.+)$/.exec(subject) ?? [];
  const kind = kinds[word];
  if (kind !== undefined) return word === 'node' || word === 'pool' ? { kind, name: rest } : named(kind, rest);
  return objectOfKey(subject);
}

/** The workload of a pod, or the pod itself when nothing controls it. */
export function workloadOf(pod: PodFacts): AuditedObject {
  if (pod.ownerKind === 'none') return { kind: 'Pod', namespace: pod.namespace, name: pod.name };
  return objectOfKey(ownerOf(pod));
}

/** The object of a key such as `Deployment shop/web`; any other text stands for itself. */
function objectOfKey(key: string): AuditedObject {
  const [, kind = '', rest = ''] = /^(\S+) (\S+\/\S+)$/.exec(key) ?? [];
  // A controller of an unknown kind.
  if (kind !== '') return named(kind === 'other' ? 'Controller' : kind, rest);
  return { kind: 'Resource', name: key };
}

/** An object by its kind and `namespace/name`. */
export function named(kind: string, key: string): AuditedObject {
  const slash = key.indexOf('/');
  return { kind, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
