import { indexOf } from '../model/cluster-index.ts';
import { isExcludedFrom } from '../model/excluded-from.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetFacts, TargetGroupFacts } from '../model/target-group.ts';

/**
 * The observation as it would be once everything that resolves itself has done so: silent nodes answer again, pods on nodes are Ready, rollouts
 * are done, and load balancers have noticed all of it. The plan has to know whether a run can end, not whether it could begin this second.
 */
export function idealFacts(facts: ServingFacts): ServingFacts {
  const { cluster } = facts;
  const services = mapChanged(cluster.services, makeReady);
  const byKey = new Map(services.map((service) => [service.key, service]));
  const index = indexOf(cluster);
  const changes = {
    services,
    nodes: mapChanged(cluster.nodes, (node) => (node.ready ? node : { ...node, ready: true })),
    pods: mapChanged(cluster.pods, (pod) =>
      pod.ready || pod.terminating || pod.node === undefined ? pod : { ...pod, ready: true },
    ),
    workloads: mapChanged(cluster.workloads, (workload) =>
      workload.rollingOut ? { ...workload, rollingOut: false } : workload,
    ),
  };
  const targetGroups = mapChanged(facts.targetGroups, (group) => notice(group, byKey.get(group.service), index));
  const isSame =
    targetGroups === facts.targetGroups &&
    changes.services === cluster.services &&
    changes.nodes === cluster.nodes &&
    changes.pods === cluster.pods &&
    changes.workloads === cluster.workloads;
  return isSame ? facts : { ...facts, cluster: { ...cluster, ...changes }, targetGroups };
}

/** The list itself when nothing in it changes, so that what is cached for it stays valid. */
function mapChanged<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let same = true;
  const changed = items.map((item) => {
    const made = change(item);
    if (made !== item) same = false;
    return made;
  });
  return same ? items : changed;
}

function makeReady(service: ServiceFacts): ServiceFacts {
  if (service.endpoints.every(({ ready, terminating }) => ready || terminating)) return service;
  return {
    ...service,
    endpoints: service.endpoints.map((endpoint) => (endpoint.terminating ? endpoint : { ...endpoint, ready: true })),
  };
}

/**
 * A pod is a healthy target when it is a ready endpoint. A node is one under policy Local when it has a ready endpoint, under policy Cluster when it exists. One that drains stays out, unless
 * it is only waited for until it can be registered again.
 */
function notice(
  group: TargetGroupFacts,
  service: ServiceFacts | undefined,
  { nodesByInstance, podsByIp }: Pick<ReturnType<typeof indexOf>, 'nodesByInstance' | 'podsByIp'>,
): TargetGroupFacts {
  const local = service?.externalTrafficPolicy === 'Local';
  const hosts = new Set(service?.endpoints.flatMap(({ ready, node }) => (ready ? (node ?? []) : [])));
  const ready = new Set(service?.endpoints.flatMap((endpoint) => (endpoint.ready ? (endpoint.podUid ?? []) : [])));
  const seen = (target: TargetFacts): TargetFacts['state'] => {
    if (target.kind === 'pod') {
      const leaves = target.state === 'draining' || target.state === 'unused';
      return !leaves && ready.has(podsByIp.get(target.ip)?.uid ?? '') ? 'healthy' : target.state;
    }
    const node = nodesByInstance.get(target.instanceId);
    if (target.state === 'unused' || node === undefined) return target.state;
    if (target.state === 'draining' && (group.returnsAfterDrain !== true || isExcludedFrom(node, group)))
      return 'draining';
    return !local || hosts.has(node.name) ? 'healthy' : 'unhealthy';
  };
  if (group.targets.every((target) => target.state === seen(target))) return group;
  return { ...group, targets: group.targets.map((target) => ({ ...target, state: seen(target) })) };
}
