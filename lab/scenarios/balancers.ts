/** One pool behind load balancers of several kinds at once, each kind with both external traffic policies. */
import type { V1Service } from '@kubernetes/client-node';
import type { GkeScenario, Scenario } from '../scenario.ts';
import { demoScenario } from './demo.ts';
import { gkeScenario } from './gke.ts';
import { type GoogleServiceKind, googleService } from './google-services.ts';
import { agent, deregisteredAfter, insideProber, onWeb, systemNodegroup, webNodegroup } from './parts.ts';
import { deployment, disruptionBudget, loadBalancerService } from './workloads.ts';

/** Name of the Service of a kind with that policy. */
export function balancedName(kind: string, policy: 'Local' | 'Cluster'): string {
  return `${kind}-${policy.toLowerCase()}`;
}

/** Few pods per workload: a dozen workloads have to start on two cores, twice. */
const REPLICAS = 2;

type Serve = (options: Parameters<typeof googleService>[1]) => V1Service;

/** For each kind and policy a workload of its own, its Service, and its budget of one pod: what one of them loses is counted for it alone. */
function workloads(kinds: readonly { readonly kind: string; readonly serve: Serve }[]): Scenario['objects'] {
  const policies = ['Local', 'Cluster'] as const;
  return kinds
    .flatMap(({ kind, serve }) => policies.map((policy) => ({ name: balancedName(kind, policy), policy, serve })))
    .flatMap(({ name, policy, serve }, index) => [
      deployment({ name, replicas: REPLICAS, nodeSelector: onWeb }),
      serve({ name, clusterIP: `10.96.1.${index + 1}`, externalTrafficPolicy: policy }),
      disruptionBudget(name, 1),
    ]);
}

const googleKinds = [
  'target-pool',
  'internal-groups',
  'external-groups',
  'internal-endpoints',
  'external-endpoints',
] as const satisfies readonly GoogleServiceKind[];

/** Load balancers of GKE. */
export const gkeBalancersScenario: GkeScenario = {
  ...gkeScenario,
  name: 'gke-balancers',
  summary: 'one pool of GKE behind passthrough load balancers of all kinds at once',
  objects: [
    ...workloads(googleKinds.map((kind) => ({ kind, serve: (options) => googleService(kind, options) }))),
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
    ...workloads([
      { kind: 'nlb-instance', serve: (options) => loadBalancerService({ ...options, healthCheckIntervalSeconds: 5 }) },
    ]),
    ...agent(),
    insideProber(['agent']),
  ],
  targetGroups: deregisteredAfter(25, [balancedName('nlb-instance', 'Local'), balancedName('nlb-instance', 'Cluster')]),
};
