import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Fix } from './fix.ts';
import { workloadOf } from './objects.ts';
import { formatObject } from './rule.ts';

/**
 * How to run a second pod like this one. A command does it only where that is sure to help: pods of a StatefulSet have an identity and data of their
 * own, a second pod of a Deployment with a volume waits for it or writes to it as well, and an autoscaler takes the second replica back.
 */
export function runTwo(pod: PodFacts, { autoscaled = [] }: ClusterFacts): Fix {
  const object = workloadOf(pod);
  const name = formatObject(object);
  const [claim] = pod.volumeClaims ?? [];
  if (object.kind === 'StatefulSet')
    return { text: `Run at least two replicas of ${name}, if the application can replicate what it keeps.` };
  if (claim !== undefined)
    return {
      text: `Run at least two replicas of ${name} on different nodes, if the application can share its volume (claim ${claim}) and more than one node can mount it.`,
    };
  if (autoscaled.includes(pod.workload ?? ''))
    return {
      text: `Set minReplicas of the autoscaler of ${name} to at least 2: it would take a second replica back that it did not add itself.`,
    };
  const text = 'Run at least two replicas on different nodes.';
  if (object.kind !== 'Deployment') return { text };
  return { text, commands: [`kubectl -n ${object.namespace ?? ''} scale deployment ${object.name} --replicas=2`] };
}
