import { indexOf } from '../model/cluster-index.ts';
import { servicesOf } from '../model/endpoints.ts';
import type { PodFacts } from '../model/pod.ts';
import { mayHaveNodeTargets, type ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { membersOf } from '../policy/members.ts';
import type { Policy } from '../policy/policy.ts';
import type { ServiceBaseline } from './baseline.ts';

/** A run, as far as it decides whose load balancers are watched. */
export interface RunScope {
  readonly policy: Policy;
  /** Services that the run has observed to serve. Undefined for whoever does not know: every target group may have had a healthy target then. */
  readonly baselines: readonly ServiceBaseline[] | undefined;
  /** By key, the Services that had pods on a node before it was emptied. */
  readonly before?: Readonly<Record<string, number>>;
}

/**
 * Services with load balancers that a run can harm: those whose connections may pass through a node of its old or new pool. Under policy Cluster
 * every node takes connections of every Service, wherever its pods are. Under policy Local a node takes only connections that its own pods answer
 * (Kubernetes documentation, "Source IP for Services with Type=LoadBalancer"). So the Services that have, or had, a pod there matter, and those
 * that share a budget with such a pod, because a budget counts pods that callers reach. A Service that the policy names, or that the run has
 * watched before, stays in the list while its pods are away for a moment.
 */
export function servicesOfRun(
  cluster: ClusterFacts,
  { policy, baselines = [], before = {} }: RunScope,
): readonly ServiceFacts[] {
  const known = new Set([
    ...Object.keys(policy.guard.minServing),
    ...Object.keys(policy.waits.maxConnectionAgeMs),
    ...baselines.map(({ service }) => service),
    ...Object.keys(before),
  ]);
  const members = membersOf(cluster, policy);
  const nodes = cluster.nodes.filter(({ uid }) => members.old.has(uid) || members.new.has(uid));
  const names = new Set(nodes.map(({ name }) => name));
  const selecting = new Set(podsConcerned(cluster, names).flatMap((pod) => servicesOf(asBefore(pod), cluster)));
  return cluster.services.filter(
    (service) =>
      (mayHaveNodeTargets(service) || service.podGroups !== undefined) &&
      ((mayHaveNodeTargets(service) && service.externalTrafficPolicy === 'Cluster') ||
        known.has(service.key) ||
        selecting.has(service) ||
        service.endpoints.some(({ node }) => node !== undefined && names.has(node))),
  );
}

/** The pod with the labels that it had before a run removed it from endpoints: load balancers may still send to it. */
function asBefore({ namespace, labels, endpointsRemoved }: PodFacts): Pick<PodFacts, 'namespace' | 'labels'> {
  return {
    namespace,
    labels: endpointsRemoved === undefined ? labels : { ...labels, ...endpointsRemoved.originalLabels },
  };
}

/** Pods on these nodes, and all that share a budget with one of them. */
function podsConcerned(cluster: ClusterFacts, nodes: ReadonlySet<string>): readonly PodFacts[] {
  const index = indexOf(cluster);
  const own = [...nodes].flatMap((name) => index.podsOn(name));
  const budgets = new Set(own.flatMap(({ uid }) => index.budgetsOf(uid)));
  const sharing = [...budgets].flatMap(({ podUids }) => podUids.flatMap((uid) => index.podsByUid.get(uid) ?? []));
  return [...new Set([...own, ...sharing])];
}
