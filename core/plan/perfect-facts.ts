import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts } from '../model/node.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetFacts, TargetGroupFacts } from '../model/target-group.ts';

/**
 * The look as it would be once everything that passes by itself has passed: nodes are heard of, pods on nodes are ready, rollouts are
 * done, and load balancers have noticed it all. What a plan asks is whether a run can end, not whether it could begin this second.
 */
export function perfectFacts(facts: ServingFacts): ServingFacts {
  const { cluster } = facts;
  const services = cluster.services.map(makeReady);
  const byKey = new Map(services.map((service) => [service.key, service]));
  const { nodesByInstance } = indexOf(cluster);
  return {
    ...facts,
    cluster: {
      ...cluster,
      services,
      nodes: cluster.nodes.map((node) => (node.ready ? node : { ...node, ready: true })),
      pods: cluster.pods.map((pod) =>
        pod.ready || pod.terminating || pod.node === undefined ? pod : { ...pod, ready: true },
      ),
      workloads: cluster.workloads.map((workload) =>
        workload.rollingOut ? { ...workload, rollingOut: false } : workload,
      ),
    },
    targetGroups: facts.targetGroups.map((group) => notice(group, byKey.get(group.service), nodesByInstance)),
  };
}

function makeReady(service: ServiceFacts): ServiceFacts {
  if (service.endpoints.every(({ ready, terminating }) => ready || terminating)) return service;
  return {
    ...service,
    endpoints: service.endpoints.map((endpoint) => (endpoint.terminating ? endpoint : { ...endpoint, ready: true })),
  };
}

/** Under policy Local a target is healthy when its node has a ready endpoint, under Cluster when its node is there. */
function notice(
  group: TargetGroupFacts,
  service: ServiceFacts | undefined,
  nodesByInstance: ReadonlyMap<string, NodeFacts>,
): TargetGroupFacts {
  const local = service?.externalTrafficPolicy === 'Local';
  const hosts = new Set(service?.endpoints.flatMap(({ ready, node }) => (ready ? (node ?? []) : [])));
  const seen = (target: TargetFacts): TargetFacts['state'] => {
    if (target.state === 'draining' || target.state === 'unused') return target.state;
    const node = nodesByInstance.get(target.instanceId);
    if (node === undefined) return target.state;
    return !local || hosts.has(node.name) ? 'healthy' : 'unhealthy';
  };
  if (group.targets.every((target) => target.state === seen(target))) return group;
  return { ...group, targets: group.targets.map((target) => ({ ...target, state: seen(target) })) };
}
