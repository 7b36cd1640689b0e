import { isActive, type PodFacts } from '../../core/model/pod.ts';
import type { WorkloadFacts } from '../../core/model/workload.ts';
import { replicaSetName } from './pods.ts';
import { refusalOf } from './refused-creations.ts';
import { wantedBy } from './replica-sets.ts';
import type { SimPod, SimWorkload, World } from './world.ts';

/** A deleted Deployment has left its ReplicaSets, which are workloads themselves meanwhile. */
export function workloadsOf(world: World, workload: SimWorkload): readonly WorkloadFacts[] {
  const whole = workloadFacts(world, workload);
  if (workload.away !== true) return [whole];
  return (workload.frozen ?? []).map(({ version, replicas }) => {
    const name = replicaSetName(workload.name, version);
    const { surge: _, paused: __, ...rest } = whole;
    return { ...rest, key: `ReplicaSet default/${name}`, kind: 'ReplicaSet', name, replicas, rollingOut: false };
  });
}

function workloadFacts(world: World, workload: SimWorkload): WorkloadFacts {
  const { kind, name, paused } = workload;
  const pods = world.pods.filter((pod) => pod.of === name && pod.ownerKind !== 'none' && isActive(pod));
  const refused = refusalOf(workload, workload.version);
  return {
    key: `${kind} default/${name}`,
    kind,
    namespace: 'default',
    name,
    replicas: kind === 'DaemonSet' ? pods.length : workload.replicas,
    podLabels: workload.labels,
    rollingOut: paused !== true && pods.some((pod) => pod.version < workload.version),
    ...(kind === 'Deployment' ? { surge: 1 } : { takes: { matchLabels: workload.selector } }),
    ...(paused === true ? { paused } : {}),
    ...(refused === undefined ? {} : { refused }),
  };
}

/** Facts of a pod's ReplicaSet: its size, and that it is a workload itself while its Deployment is deleted. */
export function keeperOf(world: World, pod: SimPod): Pick<PodFacts, 'workload' | 'ownerWants'> {
  if (pod.ownerKind !== 'ReplicaSet') return {};
  const ownerWants = wantedBy(world, pod);
  const workload = world.workloads.find(({ name }) => name === pod.of);
  return {
    ...(ownerWants === undefined ? {} : { ownerWants }),
    ...(workload?.away === true ? { workload: `ReplicaSet default/${pod.ownerName}` } : {}),
  };
}
