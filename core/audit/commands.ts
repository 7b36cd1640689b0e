import type { AuditedObject } from './rule.ts';

/** Names of the kinds that can be patched, as kubectl spells them. */
const spelled: Readonly<Record<string, string>> = {
  Service: 'service',
  Deployment: 'deployment',
  StatefulSet: 'statefulset',
  DaemonSet: 'daemonset',
  PodDisruptionBudget: 'pdb',
};

/** Kinds with a pod template at `spec.template`. */
const templated = ['Deployment', 'StatefulSet', 'DaemonSet'];

/** A command line that patches the object; nothing for kinds that kubectl cannot patch by a known name. */
export function patchObject({ kind, namespace, name }: AuditedObject, patch: object): readonly string[] {
  const resource = spelled[kind];
  if (resource === undefined || namespace === undefined) return [];
  // A budget has no strategic merge patch that differs, and a merge patch is what kubectl accepts for every kind.
  const type = templated.includes(kind) ? 'strategic' : 'merge';
  return [`kubectl -n ${namespace} patch ${resource} ${name} --type=${type} -p '${JSON.stringify(patch)}'`];
}

/** A command line that sets annotations, or removes those that are null; nothing where the cloud has none for it. */
export function patchAnnotations(
  object: AuditedObject,
  annotations: Readonly<Record<string, string | null>> | undefined,
): readonly string[] {
  return annotations === undefined ? [] : patchObject(object, { metadata: { annotations } });
}

/** The same for the spec of the pods that a workload creates. It starts a rollout. */
export function patchPods(workload: AuditedObject, podSpec: object): readonly string[] {
  if (!templated.includes(workload.kind)) return [];
  return patchObject(workload, { spec: { template: { spec: podSpec } } });
}

/** Commands as part of a fix: nothing when there are none. */
export function withCommands(...commands: readonly (readonly string[])[]): { readonly commands?: readonly string[] } {
  const all = commands.flat();
  return all.length === 0 ? {} : { commands: all };
}
