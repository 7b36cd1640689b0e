import type { TargetState } from './model.ts';

/** A cluster that moves on in small steps, each picked from outside: what a run may meet, without any clock. */
export interface World {
  readonly apps: WorldApp[];
  readonly budgets: WorldBudget[];
  nodes: WorldNode[];
  pods: WorldPod[];
  /** Endpoints as the EndpointSlices have them; they follow the pods some time later. By app. */
  readonly slices: Map<string, readonly WorldEndpoint[]>;
  /** Instances that failed on their own. */
  deaths: number;
  created: number;
}

/** A workload behind one Service of the same name, with a load balancer. */
export interface WorldApp {
  readonly app: string;
  readonly policy: 'Local' | 'Cluster';
  readonly crossZone: boolean;
  /** Which nodes its load balancer has: all, those that host an endpoint, or, with policy Cluster, two of them. Nodes come back after their drain. */
  readonly grouped: boolean;
  /** Its pods are targets of another load balancer, too, as long as their zone has a candidate node. */
  readonly podTargets: boolean;
  scale: number;
  /** Version of its pods' template. */
  version: number;
}

/** One PodDisruptionBudget over the pods of one app or several. What its status says follows the scale some time later. */
export interface WorldBudget {
  readonly name: string;
  readonly apps: readonly string[];
  readonly maxUnavailable: number;
  expected: number;
}

/** An instance and its target in every target group. */
export interface WorldNode {
  readonly name: string;
  readonly zone: string;
  readonly pool: string;
  ready: boolean;
  cordoned: boolean;
  /** Who set the exclude label, if anybody. */
  excludedBy: string | undefined;
  /** Its controller has registered it in spite of the label, and does not check the label again until it changes. */
  stuck: boolean;
  /** State of its target by app; absent when deregistered. */
  readonly targets: Map<string, TargetState>;
  /** Apps whose load balancers sent it nothing any more when they began to drain it. */
  readonly drainsIdle: Set<string>;
}

/** A pod of an app. */
export interface WorldPod {
  readonly name: string;
  readonly app: string;
  readonly version: number;
  node: string | undefined;
  ready: boolean;
  /** Its readiness probe fails for a moment. */
  failing: boolean;
  terminating: boolean;
  endpointsRemovedBy: string | undefined;
}

/** A pod as an EndpointSlice lists it. */
interface WorldEndpoint {
  readonly pod: string;
  readonly node: string;
  readonly ready: boolean;
}

/** What a world is built from. */
export interface WorldShape {
  readonly zones: number;
  readonly nodesPerZone: number;
  readonly apps: readonly (Omit<WorldApp, 'version'> & { readonly spared: number | undefined })[];
  /** The first two apps share one budget. */
  readonly sharedBudget: boolean;
  /** A second pool, which another run replaces. */
  readonly secondPool: boolean;
}

/** Builds a cluster whose nodes all serve. */
export function openWorld(shape: WorldShape): World {
  const zones = Array.from({ length: shape.zones }, (_, index) => String.fromCodePoint(97 + index));
  const build = (pool: string) =>
    zones.flatMap((zone) =>
      Array.from({ length: shape.nodesPerZone }, (_, index) => aWorldNode(`${pool}-${zone}${index}`, zone, pool)),
    );
  const world: World = {
    apps: shape.apps.map(({ spared: _spared, ...app }) => ({ ...app, version: 1 })),
    budgets: budgetsOf(shape),
    nodes: [...build('web'), ...(shape.secondPool ? build('two') : [])],
    pods: [],
    slices: new Map(),
    deaths: 0,
    created: 0,
  };
  for (const { app, scale } of world.apps) {
    for (let index = 0; index < scale; index += 1) {
      addPod(world, app, { node: emptiest(world, world.nodes, app), ready: true });
    }
  }
  settle(world);
  return world;
}

function budgetsOf({ apps, sharedBudget }: WorldShape): WorldBudget[] {
  const budgeted = apps.filter(({ spared }) => spared !== undefined);
  const [first, second, ...others] = budgeted;
  const budget = (name: string, members: typeof budgeted): WorldBudget => ({
    name,
    apps: members.map(({ app }) => app),
    maxUnavailable: Math.max(...members.map(({ spared = 0 }) => spared)),
    expected: members.reduce((sum, { scale }) => sum + scale, 0),
  });
  if (!sharedBudget || first === undefined || second === undefined)
    return budgeted.map((one) => budget(one.app, [one]));
  return [budget('shared', [first, second]), ...others.map((one) => budget(one.app, [one]))];
}

function aWorldNode(name: string, zone: string, pool: string): WorldNode {
  const state = { ready: true, cordoned: false, excludedBy: undefined, stuck: false };
  return { name, zone, pool, ...state, targets: new Map(), drainsIdle: new Set() };
}

/** Adds a new node for every old one of a pool, registered and empty, and cordons the old ones. */
export function surge(world: World, pool: string): void {
  const old = world.nodes.filter((node) => node.pool === pool);
  for (const node of old) node.cordoned = true;
  world.nodes.push(...old.map((node) => aWorldNode(`new-${node.name}`, node.zone, `new-${pool}`)));
  settle(world);
}

/** Changes that the cluster would make next by itself, in a fixed order; any of them may be the next to happen. */
export function pendingChanges(world: World): readonly (() => void)[] {
  return [
    ...world.apps.flatMap(({ app }) => sliceChange(world, app)),
    ...world.nodes.flatMap((node) => world.apps.flatMap((app) => targetChange(world, node, app))),
    ...world.pods.flatMap((pod) => podChange(world, pod)),
    ...world.apps.flatMap((app) => scaleChange(world, app)),
    ...world.budgets.flatMap((budget) => budgetChange(world, budget)),
  ];
}

/** Pods that their workload keeps. */
export function ownedPods(world: World, app: string): readonly WorldPod[] {
  return world.pods.filter((pod) => pod.app === app && !pod.terminating && pod.endpointsRemovedBy === undefined);
}

/** Whether the pod answers right now. */
export function answers(world: World, pod: WorldPod): boolean {
  const node = world.nodes.find(({ name }) => name === pod.node);
  return pod.ready && !pod.failing && !pod.terminating && node?.ready === true;
}

/** Whether old and new pods of the app are there together. */
export function rollsOut(world: World, { app, version }: WorldApp): boolean {
  return ownedPods(world, app).some((pod) => pod.version < version);
}

/** The instance is gone, and with it its pods and targets. */
export function removeNode(world: World, name: string): void {
  world.nodes = world.nodes.filter((node) => node.name !== name);
  world.pods = world.pods.filter((pod) => pod.node !== name);
}

function addPod(world: World, app: string, place: { node: string | undefined; ready: boolean }): void {
  world.created += 1;
  const version = world.apps.find((one) => one.app === app)?.version ?? 1;
  const state = { failing: false, terminating: false, endpointsRemovedBy: undefined };
  world.pods.push({ name: `${app}-${world.created}`, app, version, ...state, ...place });
}

function podChange(world: World, pod: WorldPod): readonly (() => void)[] {
  if (pod.terminating) return [() => void (world.pods = world.pods.filter((other) => other !== pod))];
  if (pod.failing) return [() => void (pod.failing = false)];
  if (pod.node !== undefined) return pod.ready ? [] : [() => void (pod.ready = true)];
  const free = world.nodes.filter((node) => !node.cordoned && node.ready);
  return free.length === 0 ? [] : [() => void (pod.node = emptiest(world, free, pod.app))];
}

/** What the controllers of a workload do next: scale, or swap one pod for one of the newest version, surge first. */
function scaleChange(world: World, { app, scale, version }: WorldApp): readonly (() => void)[] {
  const owned = ownedPods(world, app);
  const old = owned.filter((pod) => pod.version < version);
  const ready = owned.filter((pod) => answers(world, pod)).length;
  const changes: (() => void)[] = [];
  if (owned.length < scale + Math.min(1, old.length)) {
    changes.push(() => addPod(world, app, { node: undefined, ready: false }));
  }
  const surplus =
    owned.length > scale ? (old.find((pod) => ready > scale || !answers(world, pod)) ?? undefined) : undefined;
  if (old.length > 0 && surplus !== undefined) changes.push(() => void (surplus.terminating = true));
  if (old.length === 0 && owned.length > scale) {
    const last = owned.toSorted((a, b) => Number(a.ready) - Number(b.ready)).at(0);
    if (last !== undefined) changes.push(() => void (last.terminating = true));
  }
  return changes;
}

function budgetChange(world: World, budget: WorldBudget): readonly (() => void)[] {
  const expected = world.apps.filter(({ app }) => budget.apps.includes(app)).reduce((sum, { scale }) => sum + scale, 0);
  return budget.expected === expected ? [] : [() => void (budget.expected = expected)];
}

function sliceChange(world: World, app: string): readonly (() => void)[] {
  const now = endpointsOf(world, app);
  return JSON.stringify(now) === JSON.stringify(world.slices.get(app)) ? [] : [() => void world.slices.set(app, now)];
}

function endpointsOf(world: World, app: string): readonly WorldEndpoint[] {
  return world.pods
    .filter(
      (pod) => pod.app === app && pod.endpointsRemovedBy === undefined && !pod.terminating && pod.node !== undefined,
    )
    .map((pod) => ({ pod: pod.name, node: pod.node ?? '', ready: answers(world, pod) }));
}

/** Spreads like the scheduler's default: over zones first, then over nodes. */
function emptiest(world: World, nodes: readonly WorldNode[], app: string): string | undefined {
  const pods = ownedPods(world, app).filter((pod) => pod.node !== undefined);
  const zoneOf = new Map(world.nodes.map((node) => [node.name, node.zone]));
  const inZone = (zone: string) => pods.filter((pod) => zoneOf.get(pod.node ?? '') === zone).length;
  const onNode = (name: string) => pods.filter((pod) => pod.node === name).length;
  return nodes.toSorted((a, b) => inZone(a.zone) - inZone(b.zone) || onNode(a.name) - onNode(b.name))[0]?.name;
}

function targetChange(world: World, node: WorldNode, own: WorldApp): readonly (() => void)[] {
  const { app } = own;
  const now = node.targets.get(app);
  const next = nextState(world, node, own, now);
  if (next === now) return [];
  return [
    () => {
      if (next === 'draining' && now === 'unhealthy') node.drainsIdle.add(app);
      else node.drainsIdle.delete(app);
      if (next === undefined) node.targets.delete(app);
      else node.targets.set(app, next);
    },
  ];
}

function nextState(
  world: World,
  node: WorldNode,
  own: WorldApp,
  now: TargetState | undefined,
): TargetState | undefined {
  const { app, policy, grouped } = own;
  const isWanted = node.excludedBy === undefined || node.stuck;
  if (!isWanted || (grouped && !isMember(world, node, own)))
    return now === undefined || now === 'draining' ? undefined : 'draining';
  if (now === 'draining' && grouped) return undefined;
  if (now === undefined || now === 'draining') return 'initial';
  const passes =
    policy === 'Cluster'
      ? node.ready
      : (world.slices.get(app) ?? []).some((endpoint) => endpoint.node === node.name && endpoint.ready);
  return passes ? 'healthy' : 'unhealthy';
}

/** Nodes that a load balancer draws. */
const subsetSize = 2;

/** Whether a load balancer that does not have all nodes has this one. Those that are drawn stay; others take the place of those that leave. */
function isMember(world: World, node: WorldNode, { app, policy }: WorldApp): boolean {
  if (policy === 'Local') return (world.slices.get(app) ?? []).some((endpoint) => endpoint.node === node.name);
  const free = world.nodes.filter(({ excludedBy, stuck }) => excludedBy === undefined || stuck);
  const isDrawn = ({ targets }: WorldNode) => targets.has(app) && targets.get(app) !== 'draining';
  const drawn = [...free.filter(isDrawn), ...free.filter((one) => !isDrawn(one))];
  return drawn.slice(0, subsetSize).includes(node);
}

/** Lets slices and load balancers catch up with everything. */
function settle(world: World): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const app of world.apps) {
      const changes = [
        ...sliceChange(world, app.app),
        ...world.nodes.flatMap((node) => targetChange(world, node, app)),
      ];
      for (const change of changes) change();
      changed ||= changes.length > 0;
    }
  }
}
