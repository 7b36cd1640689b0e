import { eksNodeLabels } from '../../adapters/eks/node-labels.ts';
import { hasFence, mayFence } from '../../core/model/fencing-token.ts';
import type { FencingToken, NodeFacts, NodeRef } from '../../core/model/node.ts';
import type { DisruptionBudgetFacts, PodFacts, PodRef } from '../../core/model/pod.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { ServiceFacts } from '../../core/model/service.ts';
import type { ClusterFacts } from '../../core/model/serving.ts';
import type { VolumeAttachmentFacts } from '../../core/model/volume.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import type { EvictionOutcome } from '../../ports/cluster/pod-actions.ts';
import { createSimEndpoints, judgeLeaving } from './endpoints-port.ts';
import { guardEach } from './guard-each.ts';
import { slicesOf } from './kubernetes.ts';
import { createSimLocks, leftoverLocksOf } from './leases.ts';
import { exposureOf } from './load-balancers-port.ts';
import { excludeLabel, isExcluded } from './membership.ts';
import { createSimOwnership, podMarks, releasedFacts } from './ownership-port.ts';
import { addressOf } from './pod-targets.ts';
import { deletePod } from './pods.ts';
import { forgetNode } from './pools.ts';
import { keeperOf, workloadsOf } from './workload-facts.ts';
import {
  matches,
  note,
  type SimBudget,
  type SimNode,
  type SimPod,
  type SimService,
  type SimWorkload,
  type World,
} from './world.ts';

const disruptedTaint = 'nodeferry.dev/disrupted';
const fenceAnnotation = 'nodeferry.dev/fence';

/** The world behind the Cluster port. */
export function createSimCluster(world: World): Cluster {
  const nodeOf = (ref: NodeRef): SimNode | undefined => world.nodes.find((node) => node.uid === ref.uid);
  const podOf = ({ namespace, name, uid }: PodRef): SimPod | undefined =>
    world.pods.find((pod) => pod.uid === uid && pod.name === name && pod.namespace === namespace);
  return {
    observe: async () => ({
      nodes: world.nodes.map((node) => ({ ...nodeFacts(node), providerId: providerIdOf(world, node) })),
      pods: world.pods.map((pod) => podFacts(world, pod)),
      budgets: world.budgets.map((budget) => budgetFacts(world, budget)),
      services: world.services.map((service) => serviceFacts(world, service)),
      workloads: world.workloads.flatMap((workload) => workloadsOf(world, workload)),
      volumeAttachments: world.pods.flatMap(attachmentsOf),
      ...surroundings(world),
      ...(world.outageAt === undefined ? {} : { outageAt: world.outageAt }),
    }),
    findClusterUid: async () => world.clusterUid ?? 'cluster-1',
    guarded(check) {
      return guardEach(this, check);
    },
    cordon: async (ref, run) => {
      const node = nodeOf(ref);
      if (node === undefined) return 'gone';
      if (node.cordoned) return node.annotations['nodeferry.dev/cordoned-by'] === run ? 'done' : 'already';
      node.cordoned = true;
      node.annotations['nodeferry.dev/cordoned-by'] = run;
      return 'done';
    },
    uncordon: async (ref, run) =>
      unmark(nodeOf(ref), 'nodeferry.dev/cordoned-by', run, (node) => {
        node.cordoned = false;
      }),
    exclude: async (ref, run) => {
      const node = nodeOf(ref);
      if (node === undefined) return 'gone';
      const [value, mine] = [node.labels[excludeLabel], node.annotations['nodeferry.dev/excluded-by'] === run];
      if (value === 'true' && mine) return 'done';
      if (value !== undefined && !mine) {
        if (value !== 'false') return 'already';
        throw new NodeferryError({ code: 'NotOwned', message: `${node.name} carries ${excludeLabel}=false` });
      }
      node.labels[excludeLabel] = 'true';
      node.annotations['nodeferry.dev/excluded-by'] = run;
      node.scalesWhenExcluded = Object.fromEntries(world.workloads.map((one) => [one.name, scaleNow(world, one)]));
      note(world, `${node.name} excluded`);
      return 'done';
    },
    include: async (ref, run) =>
      unmark(nodeOf(ref), 'nodeferry.dev/excluded-by', run, (node) => {
        delete node.labels[excludeLabel];
        note(world, `${node.name} included`);
      }),
    removeOwnershipMarks: async (ref, run) => {
      const node = nodeOf(ref);
      if (node === undefined) return 'gone';
      for (const mark of ['cordoned-by', 'excluded-by', 'disrupted-by'])
        if (node.annotations[`nodeferry.dev/${mark}`] === run) delete node.annotations[`nodeferry.dev/${mark}`];
      if (claimOf(node)?.run === run) delete node.annotations[fenceAnnotation];
      return 'done';
    },
    unfenceNode: async (ref, run) => {
      const node = nodeOf(ref);
      if (node === undefined) return 'gone';
      if (claimOf(node)?.run !== run) return 'not-ours';
      delete node.annotations[fenceAnnotation];
      return 'done';
    },
    fenceNode: async (ref, fence) => {
      const node = nodeOf(ref);
      if (node === undefined) return 'gone';
      if (!mayFence(fence, claimOf(node))) return 'superseded';
      node.annotations[fenceAnnotation] = JSON.stringify(fence);
      return 'done';
    },
    requireFence: async (ref, fence) => {
      const node = nodeOf(ref);
      if (node === undefined) return world.nodes.some(({ name }) => name === ref.name) ? 'succeeded' : 'gone';
      if (hasFence(fence, claimOf(node))) return 'held';
      throw new NodeferryError({ code: 'Superseded', message: `${node.name} is acted on by a later attempt` });
    },
    taintDisrupted: async (ref, run) => {
      const node = nodeOf(ref);
      if (node === undefined) return 'gone';
      if (!node.taints.some((taint) => taint.key === disruptedTaint)) {
        node.taints.push({ key: disruptedTaint, effect: 'NoSchedule' });
      }
      node.annotations['nodeferry.dev/disrupted-by'] = run;
      return 'done';
    },
    untaintDisrupted: async (ref, run) =>
      unmark(nodeOf(ref), 'nodeferry.dev/disrupted-by', run, (node) => {
        node.taints = node.taints.filter((taint) => taint.key !== disruptedTaint);
      }),
    ...createSimEndpoints(world, podOf),
    ...createSimOwnership(world, podOf),
    readVolumeClaims: async (volumeClaims) =>
      volumeClaims.map(({ namespace, name }) => ({
        namespace,
        name,
        volume: volumeOf(namespace, name),
        isShared: false,
      })),
    evict: async (ref, { dryRun }) => evict(world, podOf(ref), dryRun),
    deletePod: async (ref) => {
      const pod = podOf(ref);
      if (pod === undefined) return 'gone';
      deletePod(world, pod);
      return 'done';
    },
    deleteNode: async (ref) => {
      if (nodeOf(ref) === undefined) return 'gone';
      if (world.instances.some((one) => one.instanceId === ref.instanceId && one.alive)) {
        world.violations.push(`Node ${ref.name} deleted while its instance runs`);
      }
      forgetNode(world, ref.uid);
      return 'done';
    },
    ...createSimLocks(world),
    recordEvent: async (event) => note(world, `event ${event.node.name}: ${event.reason}: ${event.message}`),
    findLeftovers: async (run) => [...ownershipOf(world, run), ...leftoverLocksOf(world, run)],
  };
}

/** Everything that a run owns in the world, as text; without a run, what any run owns. */
export function ownershipOf(world: World, run?: string): string[] {
  const ours = (by: string | undefined) => by !== undefined && (run === undefined || by === run);
  const said: readonly [string, (node: SimNode) => string | undefined][] = [
    ['cordon', (node) => node.annotations['nodeferry.dev/cordoned-by']],
    [`label ${excludeLabel}`, (node) => node.annotations['nodeferry.dev/excluded-by']],
    [`taint ${disruptedTaint}`, (node) => node.annotations['nodeferry.dev/disrupted-by']],
    [`annotation ${fenceAnnotation}`, (node) => claimOf(node)?.run],
  ];
  return [
    ...world.nodes.flatMap((node) =>
      said.flatMap(([what, by]) => (ours(by(node)) ? [`node ${node.name}: ${what}`] : [])),
    ),
    // The annotations of a pod that is being deleted disappear with the pod.
    ...world.pods.filter(({ terminating }) => !terminating).flatMap((pod) => podMarks(pod, ours)),
  ];
}

function unmark(node: SimNode | undefined, key: string, run: string, undo: (node: SimNode) => void) {
  if (node === undefined) return 'gone' as const;
  if (node.annotations[key] !== run) return 'not-ours' as const;
  delete node.annotations[key];
  undo(node);
  return 'done' as const;
}

function claimOf(node: SimNode): FencingToken | undefined {
  const text = node.annotations[fenceAnnotation];
  return text === undefined ? undefined : (JSON.parse(text) as FencingToken);
}

function podFacts(world: World, pod: SimPod): PodFacts {
  const {
    accepts: _a,
    started: _s,
    failing: _f,
    of: _o,
    version: _v,
    createdAt: _c,
    stuck: _k,
    goneAt: _g,
    turnedAt: _t,
    annotations: _n,
    costBefore: _b,
    annotationsBefore: _w,
    touched: _u,
    ...facts
  } = pod;
  const released = releasedFacts(world, pod);
  const ips = pod.node === undefined ? {} : { ips: [addressOf(pod)] };
  return {
    ...facts,
    ...ips,
    priorityClass: pod.of,
    ...keeperOf(world, pod),
    ...(released === undefined ? {} : { released }),
  };
}

/** Resources that are read at most a minute ago from a real cluster, and not at all when the role does not allow it. */
function surroundings({
  networkPolicies,
  autoscalers,
  faults,
  workloads,
}: World): Pick<ClusterFacts, 'networkPolicies' | 'autoscalers' | 'quotas' | 'unread'> {
  if (faults.policiesHidden)
    return { unread: [{ resource: 'networkpolicies.networking.k8s.io', hint: 'Add a rule.' }] };
  return {
    autoscalers: autoscalers.map((name) => ({
      key: `HorizontalPodAutoscaler default/${name}`,
      workload: `Deployment default/${name}`,
      counts: 'multiplies a metric by all ready pods, released ones too, and would scale up to twice as many',
    })),
    // Each is for the pods of one workload, like a quota for its own priority class.
    quotas: workloads.flatMap(({ name, quota, quotaTold }) => {
      if (quota === undefined || quotaTold !== true) return [];
      const scopes = [{ name: 'PriorityClass', operator: 'In', values: [name] }] as const;
      return [{ key: `ResourceQuota default/${name}`, namespace: 'default', hard: { pods: quota }, scopes }];
    }),
    networkPolicies: networkPolicies.map(({ name, selector }) => ({
      key: `NetworkPolicy default/${name}`,
      selectors: [{ namespace: 'default', labels: { matchLabels: selector } }],
    })),
  };
}

/** Every volume claim has its own volume, which is attached while its pod is on a node. */
function attachmentsOf({ namespace, node, volumeClaims = [] }: SimPod): VolumeAttachmentFacts[] {
  if (node === undefined) return [];
  return volumeClaims.map((fence) => ({ node, volume: volumeOf(namespace, fence), name: `csi-${fence}` }));
}

function volumeOf(namespace: string, fence: string): string {
  return `pv-${namespace}-${fence}`;
}

function nodeFacts(node: SimNode): NodeFacts {
  const fence = claimOf(node);
  const ownership = {
    ...(fence === undefined ? {} : { fence }),
    ...mark('cordonedBy', node.annotations['nodeferry.dev/cordoned-by']),
    ...mark('excludedBy', node.annotations['nodeferry.dev/excluded-by']),
    ...mark('disruptedBy', node.annotations['nodeferry.dev/disrupted-by']),
  };
  const { annotations: _annotations, silent: _silent, believes: _believes, ...rest } = node;
  const doNotDisrupt = node.annotations['karpenter.sh/do-not-disrupt'] === 'true' ? { doNotDisrupt: true } : {};
  const { name, others } = eksNodeLabels;
  return { ...rest, poolLabels: { name, others }, ...doNotDisrupt, ...exclusionOf(node), ownership };
}

function exclusionOf(node: SimNode): Pick<NodeFacts, 'excluded' | 'deniesExclusion'> {
  const excluded = isExcluded(node);
  return { excluded, ...(!excluded && node.labels[excludeLabel] !== undefined ? { deniesExclusion: true } : {}) };
}

function providerIdOf({ cloud = 'aws' }: World, { zone, instanceId }: SimNode): string {
  return `${cloud}:///${zone}/${instanceId}`;
}

function mark(key: string, value: string | undefined) {
  return value === undefined ? {} : { [key]: value };
}

function podGroupsOf({ instances }: World, { key }: SimService): NonNullable<ServiceFacts['podGroups']> {
  const zones = [...new Set(instances.map(({ zone }) => zone))].sort();
  return { names: [`pods-${key.replace('/', '-')}`], zones, zonesNeedCandidate: true };
}

function serviceFacts(world: World, service: SimService): ServiceFacts {
  return {
    key: service.key,
    ...exposureOf(service),
    externalTrafficPolicy: service.externalTrafficPolicy,
    internalTrafficPolicy: service.internalTrafficPolicy ?? 'Cluster',
    selector: service.selector,
    healthCheckNodePort: service.healthCheckNodePort,
    publishNotReadyAddresses: false,
    ...(service.podGroups && { podGroups: podGroupsOf(world, service) }),
    endpoints: slicesOf(world, service).map((pod) => ({
      podUid: pod.uid,
      podName: pod.name,
      node: pod.node,
      ready: pod.ready && !pod.terminating,
      // As its probe reports, also while it terminates (Kubernetes docs, "EndpointSlices", Conditions).
      serving: pod.ready || (pod.terminating && pod.accepts),
      terminating: pod.terminating,
    })),
  };
}

function budgetFacts(world: World, budget: SimBudget): DisruptionBudgetFacts {
  const covered = world.pods.filter((pod) => matches(budget.selector, pod.labels) && !pod.terminating);
  const expected = world.workloads
    .filter((workload) => matches(budget.selector, workload.labels))
    .reduce((sum, workload) => sum + workload.replicas, 0);
  const desiredHealthy = budget.minAvailable ?? expected - (budget.maxUnavailable ?? 0);
  const currentHealthy = covered.filter((pod) => pod.ready).length;
  return {
    namespace: 'default',
    name: budget.name,
    podUids: covered.map((pod) => pod.uid),
    desiredHealthy,
    currentHealthy,
    disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
    expectedPods: expected,
    demand:
      budget.minAvailable === undefined
        ? { field: 'maxUnavailable', amount: budget.maxUnavailable ?? 0, isPercentage: false }
        : { field: 'minAvailable', amount: budget.minAvailable, isPercentage: false },
  };
}

function evict(world: World, pod: SimPod | undefined, dryRun: boolean): EvictionOutcome {
  if (pod === undefined) return { outcome: 'gone' };
  if (pod.terminating) return { outcome: 'evicted' };
  const budgets = world.budgets.map((one) => budgetFacts(world, one)).filter((one) => one.podUids.includes(pod.uid));
  if (budgets.length > 1)
    return { outcome: 'impossible', message: `${pod.name} has more than one PodDisruptionBudget` };
  const [budget] = budgets;
  if (budget !== undefined && pod.ready && budget.disruptionsAllowed === 0) {
    const message = `The disruption budget ${budget.name} needs ${budget.desiredHealthy} healthy pods and has ${budget.currentHealthy} currently`;
    return { outcome: 'blocked-by-budget', message, retryAfterMs: 5_000 };
  }
  if (dryRun) return { outcome: 'evicted' };
  judgeLeaving(world, pod, 'evicted');
  deletePod(world, pod);
  return { outcome: 'evicted' };
}

/** Pods that it should have; under a quota, no more than it has: pods that were refused before are not the run's concern. */
function scaleNow({ pods }: World, { name, replicas, quota }: SimWorkload): number {
  const there = pods.filter((pod) => pod.of === name && pod.started && !pod.terminating && !pod.released).length;
  return quota === undefined ? replicas : Math.min(replicas, there);
}
