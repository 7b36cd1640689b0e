import { aBudget, aGroup, aNode, anObservation, aPod, aService, aTarget } from './facts.ts';
import type { ServingFacts } from './model.ts';
import { rollsOut, type World, type WorldApp, type WorldNode, type WorldPod } from './world.ts';

/** What an observer sees of the world at that time (ms). */
export function observeAt(world: World, now: number): ServingFacts {
  const nodes = world.nodes.map(nodeFacts);
  const pods = world.pods.map((pod) =>
    podFacts(
      pod,
      world.nodes.find(({ name }) => name === pod.node),
    ),
  );
  const services = world.apps.map((app) => serviceFacts(world, app));
  const budgets = world.budgets.map((budget) => {
    const members = pods.filter((pod) => budget.apps.includes((pod.labels as Record<string, string>)['app'] ?? ''));
    const desired = Math.max(0, budget.expected - budget.maxUnavailable);
    return { ...aBudget(budget.name, members, desired), expectedPods: budget.expected };
  });
  const workloads = world.apps.map((app) => ({
    key: `Deployment default/${app.app}`,
    kind: 'Deployment' as const,
    namespace: 'default',
    name: app.app,
    replicas: app.scale,
    podLabels: { app: app.app, 'pod-template-hash': 'x' },
    rollingOut: rollsOut(world, app),
  }));
  const zones = [...new Set(world.nodes.map((node) => node.zone))];
  const groups = world.apps.map(({ app, crossZone, grouped, policy }) => {
    const targets = nodes.flatMap((node, index) => {
      const state = world.nodes[index]?.targets.get(app);
      return state === undefined ? [] : [aTarget(node, { state })];
    });
    const membership = policy === 'Local' ? 'hosts-only' : 'subset';
    const some = grouped ? ({ membership, returnsAfterDrain: true } as const) : {};
    return aGroup(app, nodes, { crossZone, zones, targets, ...some });
  });
  return { ...anObservation({ nodes, pods, services, budgets, workloads }, groups), observedAt: now };
}

function nodeFacts(node: WorldNode) {
  const { name, zone, pool, ready, cordoned, excludedBy } = node;
  const ownership = {
    ...(cordoned ? { cordonedBy: 'run' } : {}),
    ...(excludedBy === undefined || excludedBy === 'somebody' ? {} : { excludedBy }),
  };
  return aNode(name, { zone, pool, ready, cordoned, excluded: excludedBy !== undefined, ownership });
}

function podFacts(pod: WorldPod, node: WorldNode | undefined) {
  const labels = { app: pod.app, 'pod-template-hash': 'x' };
  const facts = aPod(pod.name, pod.node, {
    labels,
    workload: `Deployment default/${pod.app}`,
    ready: pod.ready && !pod.failing && node?.ready === true,
    terminating: pod.terminating,
    phase: pod.node === undefined ? 'Pending' : 'Running',
  });
  if (pod.endpointsRemovedBy === undefined) return facts;
  const { workload: _released, ...rest } = facts;
  const endpointsRemoved = { by: pod.endpointsRemovedBy, originalLabels: labels };
  return { ...rest, labels: { 'pod-template-hash': 'x' }, ownerKind: 'none', ownerName: '', endpointsRemoved } as const;
}

function serviceFacts(world: World, { app, policy, podTargets }: WorldApp) {
  const endpoints = (world.slices.get(app) ?? []).map(({ pod, node, ready }) => ({
    podUid: `uid-${pod}`,
    podName: pod,
    node,
    ready,
    serving: ready,
    terminating: false,
  }));
  const zones = [...new Set(world.nodes.map(({ zone }) => zone))];
  const podGroups = { names: [`pods-${app}`], zones, zonesNeedCandidate: true };
  return aService(app, [], { externalTrafficPolicy: policy, endpoints, ...(podTargets && { podGroups }) });
}
