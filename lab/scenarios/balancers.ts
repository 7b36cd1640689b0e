/** One pool behind load balancers of several kinds at once, each kind with both external traffic policies. */
import type { V1Service } from '@kubernetes/client-node';
import type { GkeScenario, Scenario } from '../scenario.ts';
import { demoScenario } from './demo.ts';
import { gkeScenario } from './gke.ts';
import { type GoogleServiceKind, googleService, podGroupsGate, podGroupsService } from './google-services.ts';
import { agent, deregisteredAfter, insideProber, onWeb, systemNodegroup, webNodegroup } from './parts.ts';
import { deployment, disruptionBudget, loadBalancerService } from './workloads.ts';

/** Name of the Service of a kind with that policy. */
export function balancedName(kind: string, policy: 'Local' | 'Cluster'): string {
  return `${kind}-${policy.toLowerCase()}`;
}

type Serve = (options: Parameters<typeof googleService>[1]) => V1Service;

/** For each kind and policy a workload of its own, its Service, and its budget of one pod: what one of them loses is counted for it alone. */
function workloads(
  replicas: number,
  kinds: readonly { readonly kind: string; readonly serve: Serve }[],
): Scenario['objects'] {
  const policies = ['Local', 'Cluster'] as const;
  return kinds
    .flatMap(({ kind, serve }) => policies.map((policy) => ({ name: balancedName(kind, policy), policy, serve })))
    .flatMap(({ name, policy, serve }, index) => [
      deployment({ name, replicas, nodeSelector: onWeb }),
      serve({ name, clusterIP: `10.96.1.${index + 1}`, externalTrafficPolicy: policy }),
      disruptionBudget(name, 1),
    ]);
}

const googleKinds = [
  'target-pool',
  'internal-groups',
  'internal-endpoints',
  'external-endpoints',
] as const satisfies readonly GoogleServiceKind[];

function onGoogle(kinds: readonly GoogleServiceKind[]): Scenario['objects'] {
  return [
    // Few pods for each: all of them start on two cores, twice.
    ...workloads(
      2,
      kinds.map((kind) => ({ kind, serve: (options) => googleService(kind, options) })),
    ),
    ...agent(),
    insideProber(['agent']),
  ];
}

/** Load balancers of GKE that can be told apart in one cluster. */
export const gkeBalancersScenario: GkeScenario = {
  ...gkeScenario,
  name: 'gke-balancers',
  summary: 'one pool of GKE behind passthrough load balancers of several kinds at once',
  objects: onGoogle(googleKinds),
};

/**
 * Load balancers of GKE with instance groups of ingress-gce. They have a cluster of their own: the cloud controller manager has groups of the same name
 * (ingress-gce, pkg/instancegroups/manager.go, Sync), so that they would follow the label by itself, and a group that is shared drains for the longest
 * time of all that have it.
 */
export const gkeGroupsScenario: GkeScenario = {
  ...gkeScenario,
  name: 'gke-groups',
  summary: 'one pool of GKE behind passthrough load balancers with instance groups of ingress-gce',
  objects: onGoogle(['external-groups']),
};

/** Name of the Service, and of its workload, whose pods are targets themselves: it has no external traffic policy. */
export const podsName = 'pod-endpoints';

/** A proxy load balancer of GKE that sends to pods. */
export const gkePodsScenario: GkeScenario = {
  ...gkeScenario,
  name: 'gke-pods',
  summary: 'one pool of GKE behind a proxy load balancer with network endpoint groups of pods',
  objects: [
    podGroupsService({ name: podsName, clusterIP: '10.96.1.1' }),
    deployment({ name: podsName, replicas: 4, nodeSelector: onWeb, readinessGates: [podGroupsGate] }),
    disruptionBudget(podsName, 1),
    ...agent(),
    insideProber(['agent']),
  ],
};

/** Load balancers of AWS that the cloud controller manager makes. */
export const eksBalancersScenario: Scenario = {
  ...demoScenario,
  name: 'eks-balancers',
  summary: 'one node group of EKS behind Network Load Balancers with instance targets, of both policies',
  nodegroups: [webNodegroup(4), systemNodegroup()],
  objects: [
    // Two in each zone: without cross-zone load balancing a zone must keep serving by itself.
    ...workloads(4, [
      { kind: 'nlb-instance', serve: (options) => loadBalancerService({ ...options, healthCheckIntervalSeconds: 5 }) },
    ]),
    ...agent(),
    insideProber(['agent']),
  ],
  targetGroups: deregisteredAfter(25, [balancedName('nlb-instance', 'Local'), balancedName('nlb-instance', 'Cluster')]),
};
