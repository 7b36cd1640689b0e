import { indexOf } from '../model/cluster-index.ts';
import type { PodFacts } from '../model/pod.ts';
import { maxPreStopOf, sleptBy } from '../model/pre-stop.ts';
import type { ClusterQuestion } from '../plan/audit/rule.ts';
import { patchPods, withCommands } from './commands.ts';
import type { Fix } from './fix.ts';
import { type AuditedObject, formatObject } from './rule.ts';

/** Least time that an application should have to finish its requests, seconds. It cannot be read from a cluster. */
export const leastStopSeconds = 10;

/**
 * The containers of a pod that serve. A webhook may have added some: their names are not in the template of the workload, and a strategic merge patch
 * that names one would add a container without an image there, which the API server rejects.
 */
interface ServingContainers {
  /** Those of the template; all of it where only added ones declare ports. Empty where the template is not known. */
  readonly own: readonly string[];
  readonly added: readonly string[];
}

/** Tells the containers that serve by where they come from. */
export function servingContainers(
  { workload = '', lifecycle }: PodFacts,
  { facts }: ClusterQuestion,
): ServingContainers {
  const template = indexOf(facts.cluster).workload(workload)?.containers;
  if (template === undefined) return { own: [], added: [] };
  const { containers = [] } = lifecycle ?? {};
  const own = containers.filter((name) => template.includes(name));
  return {
    own: own.length === 0 ? template : own,
    added: containers.filter((name) => !template.includes(name)),
  };
}

/** Ends the text of a fix: containers that no patch of the workload changes. Empty where there are none. */
export function explainAdded(names: readonly string[], object: AuditedObject): string {
  if (names.length === 0) return '';
  return ` The template of ${formatObject(object)} has no container ${names.join(', ')}: change that where it is added to the pods.`;
}

/** Changes the readiness probe of a container, if the template has it. */
export function fixProbe({ pod, object, container, text }: ProbeOf, probe: object, { facts }: ClusterQuestion): Fix {
  const template = indexOf(facts.cluster).workload(pod.workload ?? '')?.containers;
  if (template?.includes(container) !== true)
    return { text: `${text}${explainAdded(template === undefined ? [] : [container], object)}` };
  const patched = patchPods(object, { containers: [{ name: container, readinessProbe: probe }] });
  return { text: `${text} The patch starts a rollout.`, ...withCommands(patched) };
}

interface ProbeOf {
  readonly pod: PodFacts;
  readonly object: AuditedObject;
  readonly container: string;
  /** What to change, without the command that does it. */
  readonly text: string;
}

/**
 * Lets these containers sleep before they stop, in place of the hooks that they have. Afterwards they have as much time as today: what the grace period
 * leaves after the longest hook, so that it does not grow with every repetition.
 */
export function letSleep(
  { pod, object, seconds }: { readonly pod: PodFacts; readonly object: AuditedObject; readonly seconds: number },
  names: readonly string[],
): readonly string[] {
  const hooks = pod.lifecycle?.preStops ?? {};
  const containers = names
    .filter((name) => sleptBy(hooks[name]) < seconds)
    .map((name) => {
      const handler = hooks[name]?.handler ?? 'sleep';
      return {
        name,
        lifecycle: { preStop: { ...(handler === 'sleep' ? {} : { [handler]: null }), sleep: { seconds } } },
      };
    });
  if (containers.length === 0) return [];
  const afterwards = Math.max(leastStopSeconds, pod.terminationGracePeriodSeconds - maxPreStopOf(pod));
  return patchPods(object, { terminationGracePeriodSeconds: seconds + afterwards, containers });
}
