import { eksNodeLabels } from '../../../adapters/eks/node-labels.ts';
import type { ServiceBaseline } from '../../../core/guard/baseline.ts';
import type { DisruptionBudgetFacts } from '../../../core/model/pod.ts';
import type { PoolFacts } from '../../../core/model/pool.ts';
import type { EndpointFacts } from '../../../core/model/service.ts';
import type { InstanceTarget, TargetFacts } from '../../../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../../../core/model/unsupported-service.ts';
import type { PodSurgeLimit, PodSurgePolicy } from '../../../core/policy/policy.ts';
import { parsePolicy } from '../../../policy-file/parse.ts';
import type {
  ClusterFacts,
  NodeFacts,
  NodeRef,
  PodFacts,
  Policy,
  ServiceFacts,
  ServingFacts,
  TargetGroupFacts,
  WorkloadFacts,
} from './model.ts';

/** Builders of facts for tests: everything healthy and in order unless told otherwise. */

/** The labels by which a node belongs to its pool. */
const poolLabels = { name: eksNodeLabels.name, others: eksNodeLabels.others };

/** A node of pool `web`, zone `a`. */
export function aNode(name: string, changes: Partial<NodeFacts> = {}): NodeFacts {
  return {
    name,
    uid: `uid-${name}`,
    instanceId: `i-${name}`,
    zone: 'a',
    pool: 'web',
    kubeletVersion: 'v1.33.0',
    ready: true,
    cordoned: false,
    excluded: false,
    ownership: {},
    labels: {},
    taints: [],
    poolLabels,
    ...changes,
  };
}

/** The reference of a node. */
export function nodeRefOf({ name, uid, instanceId, zone }: NodeRef): NodeRef {
  return { name, uid, instanceId, zone };
}

/** A Ready pod of ReplicaSet `<app>-rs` and Deployment `<app>` with label `app`. */
export function aPod(name: string, node: string | undefined, changes: Partial<PodFacts> = {}): PodFacts {
  const app = name.replace(/-[^-]*$/, '');
  return {
    namespace: 'default',
    name,
    uid: `uid-${name}`,
    node,
    labels: { app, 'pod-template-hash': 'x' },
    ownerKind: 'ReplicaSet',
    ownerName: `${app}-rs`,
    workload: `Deployment default/${app}`,
    ownerSelector: { app, 'pod-template-hash': 'x' },
    phase: 'Running',
    ready: true,
    terminating: false,
    mirror: false,
    hostNetwork: false,
    hasEmptyDir: false,
    preStopSeconds: 0,
    terminationGracePeriodSeconds: 30,
    tolerations: [],
    ...changes,
  };
}

/** A pod of the app on each of these nodes, `<app>-1` and so on. */
export function onePodOnEach(
  app: string,
  nodes: readonly { readonly name: string }[],
  changes: Partial<PodFacts> = {},
): readonly PodFacts[] {
  return nodes.map(({ name }, index) => aPod(`${app}-${index + 1}`, name, changes));
}

/** What is different about a pod of `aPod` that run `by` has released. */
export function released(name: string, by: string): Partial<PodFacts> {
  const app = name.replace(/-[^-]*$/, '');
  return {
    labels: { app },
    ownerKind: 'none',
    ownerName: '',
    released: {
      by,
      label: 'pod-template-hash',
      value: 'x',
      replicaSet: { name: `${app}-rs`, uid: `uid-${app}-rs` },
      workload: `Deployment default/${app}`,
    },
  };
}

/** The endpoint of a pod, as the EndpointSlice controller writes it. */
export function endpointOf(pod: PodFacts): EndpointFacts {
  return {
    podUid: pod.uid,
    podName: pod.name,
    node: pod.node,
    ready: pod.ready && !pod.terminating,
    serving: pod.ready,
    terminating: pod.terminating,
  };
}

/** A LoadBalancer Service `default/<app>` whose endpoints are the pods that its selector matches. */
export function aService(app: string, pods: readonly PodFacts[], changes: Partial<ServiceFacts> = {}): ServiceFacts {
  return {
    key: `default/${app}`,
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    internalTrafficPolicy: 'Cluster',
    selector: { app },
    healthCheckNodePort: 30_900,
    nodePorts: [30_080],
    hostnames: [`${app}.elb.example`],
    publishNotReadyAddresses: false,
    endpoints: pods
      .filter((pod) => Object.entries(changes.selector ?? { app }).every(([key, value]) => pod.labels[key] === value))
      .map(endpointOf),
    ...changes,
  };
}

/** A healthy target. */
export function aTarget(node: NodeRef, changes: Partial<Omit<InstanceTarget, 'kind'>> = {}): TargetFacts {
  return { kind: 'instance', instanceId: node.instanceId, port: 30_080, zone: node.zone, state: 'healthy', ...changes };
}

/** A target group of Service `default/<app>` in which the nodes are healthy. */
export function aGroup(
  app: string,
  nodes: readonly NodeRef[],
  changes: Partial<TargetGroupFacts> = {},
): TargetGroupFacts {
  return {
    id: `arn:${app}`,
    name: `k8s-${app}`,
    kind: 'elbv2-instance',
    loadBalancer: `nlb-${app}`,
    service: `default/${app}`,
    strandsDraining: false,
    crossZone: true,
    zones: [...new Set(nodes.map((node) => node.zone))],
    deregistrationDelayMs: 300_000,
    terminatesConnectionsAfterDelay: false,
    terminatesUnhealthyConnections: true,
    deregistrationLagMs: 120_000,
    healthCheck: {
      protocol: 'HTTP',
      port: '30900',
      intervalMs: 10_000,
      timeoutMs: 6_000,
      healthyThreshold: 2,
      unhealthyThreshold: 2,
    },
    targets: nodes.map((node) => aTarget(node)),
    ...changes,
  };
}

/** A budget over the pods that demands so many healthy. */
export function aBudget(name: string, pods: readonly PodFacts[], desiredHealthy: number): DisruptionBudgetFacts {
  const currentHealthy = pods.filter((pod) => pod.ready).length;
  return {
    namespace: 'default',
    name,
    podUids: pods.map((pod) => pod.uid),
    desiredHealthy,
    currentHealthy,
    disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
    expectedPods: pods.length,
  };
}

/** A cluster of these parts. */
export function aCluster(parts: Partial<ClusterFacts>): ClusterFacts {
  return { nodes: [], pods: [], budgets: [], services: [], workloads: [], volumeAttachments: [], ...parts };
}

/** An observation of a cluster and its load balancers. */
export function anObservation(
  cluster: Partial<ClusterFacts>,
  targetGroups: readonly TargetGroupFacts[] = [],
  unsupported: readonly UnsupportedServiceFacts[] = [],
): ServingFacts {
  return { cluster: aCluster(cluster), targetGroups, unsupported, observedAt: 0 };
}

/** Service `default/<app>` behind a load balancer that nobody can find. */
export function anUnsupported(app: string, changes: Partial<UnsupportedServiceFacts> = {}): UnsupportedServiceFacts {
  return {
    service: `default/${app}`,
    why: 'unknown-load-balancer',
    detail: `no load balancer has the address ${app}.elb.example`,
    hint: 'Move it to a Network Load Balancer.',
    ...changes,
  };
}

/** Deployment `default/<app>`, whose pods have label `app`. */
export function aWorkload(app: string, replicas: number, changes: Partial<WorkloadFacts> = {}): WorkloadFacts {
  return {
    key: `Deployment default/${app}`,
    kind: 'Deployment',
    namespace: 'default',
    name: app,
    replicas,
    podLabels: { app, 'pod-template-hash': 'x' },
    rollingOut: false,
    ...changes,
  };
}

/** The baseline of Service `default/<app>`: a number of targets with one pod each. */
export function aBaseline(app: string, targets: number, changes: Partial<ServiceBaseline> = {}): ServiceBaseline {
  return { service: `default/${app}`, targets, endpoints: targets, missing: 0, zones: [], ...changes };
}

/** The defaults of the written policy for pool `web` of cluster `c`, but that it hands nothing over, with changes to its parts. */
export function aPolicy(changes: Partial<Policy> = {}): Policy {
  const parsed = parsePolicy(
    `apiVersion: nodeferry.dev/v1alpha1
kind: PoolUpgrade
metadata: {name: test}
spec:
  cluster: {name: c, region: eu-west-1}
  pool: {name: web}
  target: {version: "1.34"}
  podSurge: {mode: off}
`,
    'test.yaml',
  );
  if (!parsed.ok) throw new Error(parsed.problems.map((problem) => problem.message).join());
  return { ...parsed.policy, ...changes };
}

/** The part of a policy with other terms of the guard. */
export function withGuard(changes: Partial<Policy['guard']>): Pick<Policy, 'guard'> {
  return { guard: { ...aPolicy().guard, ...changes } };
}

/** The part of a policy that keeps so many targets of Service `default/web` serving. */
export function withMinServing(targets: number, changes: Partial<Policy['guard']> = {}): Pick<Policy, 'guard'> {
  return withGuard({ minServing: { 'default/web': { targets } }, ...changes });
}

/** The part of a policy with other rules of draining. */
export function withDrain(changes: Partial<Policy['drain']>): Pick<Policy, 'drain'> {
  return { drain: { ...aPolicy().drain, ...changes } };
}

/** The part of a policy with other waits. */
export function withWaits(changes: Partial<Policy['waits']>): Pick<Policy, 'waits'> {
  return { waits: { ...aPolicy().waits, ...changes } };
}

/** The part of a policy that switches pod surge on, with exceptions by workload. */
export function withPodSurge(
  surplus: PodSurgeLimit = 1,
  workloads: PodSurgePolicy['workloads'] = {},
): { readonly podSurge: PodSurgePolicy } {
  return { podSurge: { mode: 'auto', max: surplus, workloads } };
}

/** An active pool `web` with these nodes. */
export function aPool(nodes: readonly NodeRef[], changes: Partial<PoolFacts> = {}): PoolFacts {
  return {
    ref: { cluster: 'c', region: 'eu-west-1', provider: 'eks', name: 'web' },
    status: 'active',
    version: '1.33',
    desiredSize: nodes.length,
    minSize: 0,
    maxSize: 10,
    zones: ['a', 'b'],
    labels: {},
    instances: nodes.map(({ instanceId, zone }) => ({ instanceId, zone, state: 'running' })),
    problems: [],
    ...changes,
  };
}
