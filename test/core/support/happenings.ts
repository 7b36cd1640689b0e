import { removeNode, type World, type WorldNode } from './world.ts';

/** What happens to a cluster from outside, by name: each takes a number that picks whom it hits. */
export const happenings: Readonly<Record<string, (world: World, pick: number) => void>> = {
  'a pod flaps': (world, pick) => {
    const pod = choose(world.pods, pick);
    if (pod?.ready === true) pod.failing = true;
  },
  'a whole app flaps': (world, pick) => {
    const app = choose(world.apps, pick)?.app;
    for (const pod of world.pods) if (pod.app === app && pod.ready) pod.failing = true;
  },
  'a node is NotReady': (world, pick) => {
    const node = choose(world.nodes, pick);
    if (node !== undefined) node.ready = false;
  },
  'all nodes are NotReady': (world) => {
    for (const node of world.nodes) node.ready = false;
  },
  'nodes are Ready again': (world) => {
    for (const node of world.nodes) node.ready = true;
  },
  'a load balancer fails open': (world, pick) => {
    const app = choose(world.apps, pick)?.app ?? '';
    for (const { targets } of world.nodes) if (targets.get(app) === 'healthy') targets.set(app, 'unhealthy');
  },
  'an app is scaled up': (world, pick) => {
    const app = choose(world.apps, pick);
    if (app !== undefined) app.scale = Math.min(12, app.scale + 1 + (pick % 4));
  },
  'an app is scaled down': (world, pick) => {
    const app = choose(world.apps, pick);
    if (app !== undefined) app.scale = Math.max(0, app.scale - 1 - (pick % 3));
  },
  'an app rolls out': (world, pick) => {
    const app = choose(world.apps, pick);
    if (app !== undefined) app.version += 1;
  },
  'somebody removes an exclude label': (world, pick) => {
    const node = choose(excluded(world), pick);
    if (node !== undefined) include(node);
  },
  'somebody excludes a node': (world, pick) => {
    const node = choose(world.nodes, pick);
    if (node !== undefined) node.excludedBy ??= 'somebody';
  },
  'somebody takes back what he excluded': (world) => {
    for (const node of world.nodes) if (node.excludedBy === 'somebody') include(node);
  },
  'a node is uncordoned': (world, pick) => {
    const node = choose(
      world.nodes.filter(({ cordoned }) => cordoned),
      pick,
    );
    if (node !== undefined) node.cordoned = false;
  },
  'a controller registers an excluded node': (world, pick) => {
    const node = choose(excluded(world), pick);
    if (node !== undefined) node.stuck = true;
  },
};

/** An instance fails on its own. */
export function die(world: World, pick: number): void {
  const node = choose(world.nodes, pick);
  if (node === undefined) return;
  removeNode(world, node.name);
  world.deaths += 1;
}

/** Takes the exclude label off a node, whoever set it. */
export function include(node: WorldNode): void {
  node.excludedBy = undefined;
  node.stuck = false;
}

function excluded(world: World): readonly WorldNode[] {
  return world.nodes.filter((node) => node.excludedBy !== undefined);
}

function choose<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % Math.max(1, items.length)];
}
