import type { ServingFacts } from '../../../core/model/serving.ts';
import type { TargetState } from '../../../core/model/target-group.ts';
import { aBudget, aGroup, aLook, aNode, aPod, aService, aTarget } from './facts.ts';

/** A cluster that moves on in small steps, each picked from outside: what a run may meet, without any clock. */
export interface World {
  readonly deployments: readonly Deployment[];
  nodes: WorldNode[];
  pods: WorldPod[];
  /** Nodes that died by themselves. */
  deaths: number;
  created: number;
}

/** A workload behind one Service of the same name. */
export interface Deployment {
  readonly app: string;
  readonly replicas: number;
  readonly policy: 'Local' | 'Cluster';
  readonly crossZone: boolean;
  /** Pods that its budget spares; undefined without a budget. */
  readonly maxUnavailable: number | undefined;
}

/** A machine and its entry in every target group. */
export interface WorldNode {
  readonly name: string;
  readonly zone: string;
  readonly pool: string;
  cordoned: boolean;
  excluded: boolean;
  /** State of its target by app; absent when deregistered. */
  readonly targets: Map<string, TargetState>;
}

/** A pod of a deployment. */
export interface WorldPod {
  readonly name: string;
  readonly app: string;
  node: string | undefined;
  ready: boolean;
  terminating: boolean;
  unlisted: boolean;
}

/** Builds a cluster whose nodes all serve. */
export function openWorld(shape: {
  readonly zones: number;
  readonly nodesPerZone: number;
  readonly deployments: readonly Deployment[];
}): World {
  const zones = Array.from({ length: shape.zones }, (_, index) => String.fromCodePoint(97 + index));
  const build = (pool: string) =>
    zones.flatMap((zone) =>
      Array.from(
        { length: shape.nodesPerZone },
        (_, index): WorldNode => ({
          name: `${pool}-${zone}${index}`,
          zone,
          pool,
          cordoned: false,
          excluded: false,
          targets: new Map(),
        }),
      ),
    );
  const world: World = {
    deployments: shape.deployments,
    nodes: build('web'),
    pods: [],
    deaths: 0,
    created: 0,
  };
  for (const { app, replicas } of world.deployments) {
    for (let index = 0; index < replicas; index += 1) {
      addPod(world, app, { node: emptiest(world, world.nodes, app), ready: true });
    }
  }
  settleLoadBalancers(world);
  return world;
}

/** Adds a new node for every old one, registered and empty. */
export function surge(world: World): void {
  const fresh = world.nodes.map((node) => ({
    ...node,
    name: `new-${node.name}`,
    pool: 'web-1-34',
    targets: new Map(),
  }));
  for (const node of world.nodes) node.cordoned = true;
  world.nodes.push(...fresh);
  settleLoadBalancers(world);
}

/** What an observer sees. */
export function lookAt(world: World): ServingFacts {
  const nodes = world.nodes.map((node) =>
    aNode(node.name, {
      zone: node.zone,
      pool: node.pool,
      cordoned: node.cordoned,
      excluded: node.excluded,
      marks: { ...(node.cordoned ? { cordonedBy: 'run' } : {}), ...(node.excluded ? { excludedBy: 'run' } : {}) },
    }),
  );
  const pods = world.pods.map((pod) => {
    const labels = { app: pod.app, 'pod-template-hash': 'x' };
    const facts = aPod(pod.name, pod.node, {
      ready: pod.ready,
      terminating: pod.terminating,
      phase: pod.node === undefined ? 'Pending' : 'Running',
    });
    if (!pod.unlisted) return facts;
    return {
      ...facts,
      labels: { 'pod-template-hash': 'x' },
      ownerKind: 'none',
      ownerName: '',
      unlisted: { by: 'run', originalLabels: labels },
    } as const;
  });
  const services = world.deployments.map(({ app, policy }) => aService(app, pods, { externalTrafficPolicy: policy }));
  const budgets = world.deployments.flatMap(({ app, replicas, maxUnavailable }) =>
    maxUnavailable === undefined
      ? []
      : [
          {
            ...aBudget(
              app,
              pods.filter((pod) => Object.hasOwn(pod.labels, 'app') && pod.name.startsWith(`${app}-`)),
              replicas - maxUnavailable,
            ),
            expectedPods: replicas,
          },
        ],
  );
  const zones = [...new Set(world.nodes.map((node) => node.zone))];
  const groups = world.deployments.map(({ app, crossZone }) => {
    const targets = nodes.flatMap((node) => {
      const state = world.nodes.find((one) => one.name === node.name)?.targets.get(app);
      return state === undefined ? [] : [aTarget(node, { state })];
    });
    return aGroup(app, nodes, { crossZone, zones, targets });
  });
  return aLook({ nodes, pods, services, budgets }, groups);
}

/** Changes that the cluster would make next by itself, in a fixed order; any of them may be the next to happen. */
export function pendingChanges(world: World): readonly (() => void)[] {
  return [
    ...world.nodes.flatMap((node) => world.deployments.flatMap((deployment) => targetChange(world, node, deployment))),
    ...world.pods.flatMap((pod) => podChange(world, pod)),
    ...world.deployments.flatMap(({ app, replicas }) => {
      const owned = world.pods.filter((pod) => pod.app === app && !pod.terminating && !pod.unlisted).length;
      return owned < replicas ? [() => addPod(world, app, { node: undefined, ready: false })] : [];
    }),
  ];
}

/** A machine dies without anybody's doing. */
export function die(world: World, name: string): void {
  removeNode(world, name);
  world.deaths += 1;
}

/** The machine is gone, and with it its pods and targets. */
export function removeNode(world: World, name: string): void {
  world.nodes = world.nodes.filter((node) => node.name !== name);
  world.pods = world.pods.filter((pod) => pod.node !== name);
}

/** Serving targets of an app by zone, and endpoints that they reach, counted straight from the world. */
export function trulyServing(
  world: World,
  { app, policy }: Deployment,
): { readonly zones: readonly string[]; readonly endpoints: number } {
  const ready = (node: WorldNode) =>
    world.pods.filter((pod) => pod.app === app && pod.node === node.name && isEndpoint(pod)).length;
  const serving = world.nodes.filter(
    (node) => !node.excluded && node.targets.get(app) === 'healthy' && (policy === 'Cluster' || ready(node) > 0),
  );
  const hosts = policy === 'Local' ? serving : world.nodes;
  return { zones: serving.map((node) => node.zone), endpoints: hosts.reduce((sum, node) => sum + ready(node), 0) };
}

/** Pods that a budget counts as healthy. */
export function healthyPods(world: World, app: string): number {
  return world.pods.filter((pod) => pod.app === app && isEndpoint(pod)).length;
}

function isEndpoint(pod: WorldPod): boolean {
  return pod.ready && !pod.terminating && !pod.unlisted;
}

function addPod(world: World, app: string, place: { node: string | undefined; ready: boolean }): void {
  world.created += 1;
  world.pods.push({ name: `${app}-${world.created}`, app, terminating: false, unlisted: false, ...place });
}

function podChange(world: World, pod: WorldPod): readonly (() => void)[] {
  if (pod.terminating) return [() => void (world.pods = world.pods.filter((other) => other !== pod))];
  if (pod.node !== undefined) return pod.ready ? [] : [() => void (pod.ready = true)];
  const free = world.nodes.filter((node) => !node.cordoned);
  return free.length === 0 ? [] : [() => void (pod.node = emptiest(world, free, pod.app))];
}

/** Spreads like the scheduler's default: over zones first, then over nodes. */
function emptiest(world: World, nodes: readonly WorldNode[], app: string): string | undefined {
  const pods = world.pods.filter(
    (pod) => pod.app === app && pod.node !== undefined && !pod.terminating && !pod.unlisted,
  );
  const zoneOf = new Map(world.nodes.map((node) => [node.name, node.zone]));
  const inZone = (zone: string) => pods.filter((pod) => zoneOf.get(pod.node ?? '') === zone).length;
  const onNode = (name: string) => pods.filter((pod) => pod.node === name).length;
  return nodes.toSorted((a, b) => inZone(a.zone) - inZone(b.zone) || onNode(a.name) - onNode(b.name))[0]?.name;
}

function targetChange(world: World, node: WorldNode, deployment: Deployment): readonly (() => void)[] {
  const { app } = deployment;
  const now = node.targets.get(app);
  const next = nextState(world, node, deployment, now);
  if (next === now) return [];
  return [() => void (next === undefined ? node.targets.delete(app) : node.targets.set(app, next))];
}

function nextState(
  world: World,
  node: WorldNode,
  { app, policy }: Deployment,
  now: TargetState | undefined,
): TargetState | undefined {
  if (node.excluded) return now === undefined || now === 'draining' ? undefined : 'draining';
  const passes =
    policy === 'Cluster' || world.pods.some((pod) => pod.app === app && pod.node === node.name && isEndpoint(pod));
  return passes ? 'healthy' : 'unhealthy';
}

function settleLoadBalancers(world: World): void {
  for (const node of world.nodes) {
    for (const deployment of world.deployments) {
      const state = nextState(world, node, deployment, undefined);
      if (state !== undefined) node.targets.set(deployment.app, state);
    }
  }
}
