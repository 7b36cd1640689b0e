/** The kinds of load balancers that nodeferry is measured with, and what is known about each. */

import type { ProtectiveRule } from '../../core/steps/steps.ts';
import { balancedName, podsName } from '../../lab/scenarios/balancers.ts';
import type { BalancersScenario } from './measured.ts';

/** One kind. Texts are Markdown, without a full stop. */
export interface BalancerKind {
  /** The beginning of the names of its Services in the lab, or the name of the only one. */
  readonly id: string;
  /** What it sends to; nodes where it is left out. Services with pods as targets have no external traffic policy. */
  readonly targets?: 'pods';
  readonly cloud: 'gke' | 'eks';
  /** Where it is measured. */
  readonly scenario: BalancersScenario;
  readonly title: string;
  /** How a Service gets it. */
  readonly madeBy: string;
  /** What takes a node out of it. */
  readonly lever: string;
  /** What becomes of established connections then. */
  readonly drain: string;
  /** What nodeferry waits for before pods leave. */
  readonly waits: string;
  /** The protective rule without which its Services lose requests while controllers are late. What each rule is for by itself: test/e2e/negative-controls.test.ts. */
  readonly protectedBy: ProtectiveRule;
  /** What nodeferry says or refuses before it begins. */
  readonly says: string;
}

/** Services of a kind in the lab: one for each external traffic policy, or one without. */
export function servicesOf({ id, targets }: Pick<BalancerKind, 'id' | 'targets'>) {
  if (targets === 'pods') return [{ policy: 'none', name: id }];
  return (['Local', 'Cluster'] as const).map((policy) => ({ policy, name: balancedName(id, policy) }));
}

/** What protects the kinds that are measured in a scenario: the rules that are off in its control. */
export function protectingRules(scenario: BalancersScenario): readonly ProtectiveRule[] {
  const own = balancerKinds.filter((kind) => kind.scenario === scenario);
  return [...new Set(own.map(({ protectedBy }) => protectedBy))];
}

const excludeLabel = 'the exclusion label of its node';

/**
 * All of them: the present kinds of a cloud first. Which versions of GKE make which kind: GKE documentation, "LoadBalancer Service concepts". Draining
 * times: ingress-gce, pkg/l4/backends/backends.go, and cloud-provider-gcp, providers/gce/gce_loadbalancer_internal.go; the deregistration delay: Elastic
 * Load Balancing user guide for Network Load Balancers, target group attributes.
 */
export const balancerKinds: readonly BalancerKind[] = [
  {
    id: 'external-endpoints',
    cloud: 'gke',
    scenario: 'gke-balancers',
    title: 'external, network endpoint groups of nodes',
    madeBy: '`cloud.google.com/l4-rbs: enabled`, or class `networking.gke.io/l4-regional-external`; ingress-gce',
    lever: excludeLabel,
    drain: 'the draining time of the backend service, 30 s',
    waits: 'the node to be gone from the groups of all zones, and the draining time',
    protectedBy: 'wait-for-deregistration',
    says: 'nothing',
  },
  {
    id: 'internal-endpoints',
    cloud: 'gke',
    scenario: 'gke-balancers',
    title: 'internal, network endpoint groups of nodes',
    madeBy: '`networking.gke.io/load-balancer-type: Internal` in a cluster with subsetting; ingress-gce',
    lever: excludeLabel,
    drain: 'the draining time of the backend service, 30 s',
    waits: 'the node to be gone from the groups of all zones, and the draining time',
    protectedBy: 'wait-for-deregistration',
    says: 'nothing',
  },
  {
    id: 'internal-groups',
    cloud: 'gke',
    scenario: 'gke-balancers',
    title: 'internal, instance groups',
    madeBy:
      '`networking.gke.io/load-balancer-type: Internal` in a cluster without subsetting, or from before it; the cloud controller manager',
    lever: excludeLabel,
    drain: 'none, unless somebody sets a draining time on the backend service',
    waits: 'the node to be gone from the group, and the propagation time',
    protectedBy: 'wait-for-deregistration',
    says: '`SVC-030`: established connections may be cut',
  },
  {
    id: 'external-groups',
    cloud: 'gke',
    scenario: 'gke-groups',
    title: 'external, instance groups',
    madeBy: '`cloud.google.com/l4-rbs: enabled` before GKE 1.32.2; ingress-gce',
    lever: 'the exclusion label, read only when the cordon changes: nodeferry removes the cordon and sets it again',
    drain: 'the draining time of the backend service, 30 s',
    waits: 'the node to be gone from the group, and the draining time',
    protectedBy: 'wait-for-deregistration',
    says: 'nothing',
  },
  {
    id: 'target-pool',
    cloud: 'gke',
    scenario: 'gke-balancers',
    title: 'external, target pool',
    madeBy: 'no annotation, before GKE 1.37; the cloud controller manager',
    lever: excludeLabel,
    drain: 'none',
    waits: 'the node to be gone from the pool, and the propagation time',
    protectedBy: 'wait-for-deregistration',
    says: '`SVC-030`: established connections may be cut',
  },
  {
    id: podsName,
    targets: 'pods',
    cloud: 'gke',
    scenario: 'gke-pods',
    title: 'proxy, network endpoint groups of pods',
    madeBy: '`cloud.google.com/neg` on a Service of any type, an Ingress, or a Gateway; ingress-gce makes the groups',
    lever: 'each pod is removed from endpoints; the exclusion label changes nothing',
    drain: 'the draining time of the backend service: none, unless somebody sets one (30 s in the lab)',
    waits:
      'each pod to be gone from the groups of all zones, and the longer of the draining time and the propagation time',
    protectedBy: 'wait-for-deregistration',
    says: '`SVC-030`, if nobody has set a draining time; `WKL-034`, if pods cannot be removed from endpoints',
  },
  {
    id: 'nlb-instance',
    cloud: 'eks',
    scenario: 'eks-balancers',
    title: 'Network Load Balancer, instance targets',
    madeBy: '`service.beta.kubernetes.io/aws-load-balancer-type: nlb`; the cloud controller manager of AWS',
    lever: excludeLabel,
    drain: 'the deregistration delay of the target group, 300 s (25 s in the lab)',
    waits: 'the target to be draining, unused or absent, and the deregistration delay or the propagation time',
    protectedBy: 'wait-for-deregistration',
    says: 'nothing',
  },
];
