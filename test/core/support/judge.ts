/** What is never right, judged from the world itself and by rules of its own: not by the product's. */
import type { PlayedRun } from './played-run.ts';
import {
  answers,
  ownedPods,
  type World,
  type WorldApp,
  type WorldBudget,
  type WorldNode,
  type WorldPod,
} from './world.ts';

/** What is wrong with letting this node go now. */
export function judgeExclusion(run: PlayedRun, name: string): readonly string[] {
  const { world } = run.play;
  const node = world.nodes.find((one) => one.name === name);
  if (node === undefined || node.excludedBy !== undefined) return [];
  const said = (what: string) => `${run.name} lets ${name} go at ${run.play.now}: ${what}`;
  const wrong: string[] = [];
  for (const budget of world.budgets) {
    const { before, after, needs } = reachOf(world, budget, node);
    if (after < needs && after < before)
      wrong.push(said(`budget ${budget.name} keeps ${after} of ${before}, needs ${needs}`));
  }
  // Of an app that was scaled to nothing none is wanted: its last pods go in any case.
  for (const app of world.apps.filter(({ scale }) => scale > 0)) {
    const hosts = hostsOf(world, app);
    const isHost = app.policy === 'Local' && hosts.includes(node);
    if (isHost && hosts.length === 1) wrong.push(said(`nothing of ${app.app} is left`));
    if (isHost && flaps(world, app, node)) wrong.push(said(`the pods of ${app.app} on it flap`));
    if (isHost && !app.crossZone && lastOfZone(world, app, node))
      wrong.push(said(`${app.app} keeps nothing in ${node.zone}`));
    const serving = servingNodes(world, app);
    if (app.podTargets && isLastCandidate(world, app, node))
      wrong.push(said(`all pods of ${app.app} in ${node.zone} lose their load balancer`));
    if (app.policy === 'Cluster' && serving.length === 1 && serving[0] === node)
      wrong.push(said(`no node serves ${app.app} any more`));
  }
  return wrong;
}

/** What is wrong with telling this pod to leave. */
export function judgeTouch(run: PlayedRun, name: string, how: string, pod: WorldPod): readonly string[] {
  const node = run.play.world.nodes.find((one) => one.name === name);
  if (node === undefined) return [];
  const said = (what: string) => `${run.name} ${how}s ${pod.name} on ${name}: ${what}`;
  return [
    ...(node.excludedBy === undefined ? [said('the node is not excluded')] : []),
    ...findSenders(run.play.world, node).map((app) => said(`the load balancer of ${app} has it`)),
    ...(pod.node === name ? [] : [said('it is somewhere else')]),
  ];
}

/** What is wrong with ending this machine. */
export function judgeTermination(run: PlayedRun, name: string): readonly string[] {
  const { world } = run.play;
  const node = world.nodes.find((one) => one.name === name);
  const pods = world.pods.filter((pod) => pod.node === name);
  return [
    ...(pods.length > 0 ? [`${name} ends with ${pods.map((pod) => pod.name).join(', ')}`] : []),
    ...(node === undefined ? [] : findSenders(world, node)).map(
      (app) => `${name} ends while the load balancer of ${app} has it`,
    ),
    ...(run.plan.nodes.some((planned) => planned.name === name) ? [] : [`${name} was never planned to go`]),
  ];
}

/**
 * Apps whose load balancers have the node and may send to it. One that it fails the health checks of, or failed when that began to drain
 * it, and has no pod of under policy Local, sends nothing that anybody there could answer, whether it has the node or not.
 */
function findSenders(world: World, { name, targets, drainsIdle }: WorldNode): readonly string[] {
  return world.apps
    .filter(({ app, policy }) => {
      const state = targets.get(app);
      if (state === undefined) return false;
      const hosted =
        world.pods.some((pod) => pod.app === app && pod.node === name) ||
        (world.slices.get(app) ?? []).some(({ node }) => node === name);
      const isIdle = state === 'unhealthy' || (state === 'draining' && drainsIdle.has(app));
      return policy === 'Cluster' || !isIdle || hosted;
    })
    .map(({ app }) => app);
}

/**
 * Nodes that are out by our doing although a Service is below its demand without them, and could serve it: wrong once everything has
 * come to rest.
 */
export function judgeRest(run: PlayedRun): readonly string[] {
  const { world } = run.play;
  return run.inFlight
    .filter(({ begun, step }) => !begun && (step === 'excluded' || step === 'draining'))
    .flatMap(({ node }) => {
      const instance = world.nodes.find((one) => one.name === node.name);
      if (instance === undefined) return [];
      return world.budgets.flatMap((budget) => {
        const served = world.pods.some(
          (pod) => budget.apps.includes(pod.app) && pod.node === node.name && answers(world, pod),
        );
        const { now, needs } = reachNow(world, budget);
        return served && isLocal(world, budget) && now < needs
          ? [`${node.name} is out, and budget ${budget.name} has ${now}, needs ${needs}`]
          : [];
      });
    });
}

/** Pods of a budget that would get connections if nothing failed. With policy Local these are the pods on nodes that are not excluded. */
function reachOf(world: World, budget: WorldBudget, leaving: WorldNode) {
  const pods = world.pods.filter(
    (pod) => budget.apps.includes(pod.app) && !pod.terminating && pod.endpointsRemovedBy === undefined,
  );
  const reached = pods.filter((pod) => isReachable(world, pod));
  const taken = reached.filter((pod) => pod.node === leaving.name && policyOf(world, pod.app) === 'Local');
  const needs = Math.max(0, budget.expected - budget.maxUnavailable);
  return { before: reached.length, after: reached.length - taken.length, needs };
}

function reachNow(world: World, budget: WorldBudget) {
  const pods = world.pods.filter(
    (pod) => budget.apps.includes(pod.app) && pod.endpointsRemovedBy === undefined && answers(world, pod),
  );
  const needs = Math.max(0, budget.expected - budget.maxUnavailable);
  return { now: pods.filter((pod) => isReachable(world, pod)).length, needs };
}

function isReachable(world: World, pod: WorldPod): boolean {
  const node = world.nodes.find((one) => one.name === pod.node);
  return node !== undefined && (policyOf(world, pod.app) === 'Cluster' || node.excludedBy === undefined);
}

function policyOf(world: World, app: string): WorldApp['policy'] | undefined {
  return world.apps.find((one) => one.app === app)?.policy;
}

function isLocal(world: World, budget: WorldBudget): boolean {
  return budget.apps.every((app) => policyOf(world, app) === 'Local');
}

/** Nodes that are not out and host pods of the app. */
function hostsOf(world: World, { app }: WorldApp): readonly WorldNode[] {
  const names = new Set(ownedPods(world, app).map((pod) => pod.node));
  return world.nodes.filter((node) => names.has(node.name) && node.excludedBy === undefined);
}

/** All that the slices know of the app on this node is not ready, and fewer are than there should be. */
function flaps(world: World, { app, scale }: WorldApp, node: WorldNode): boolean {
  const slice = world.slices.get(app) ?? [];
  const here = slice.filter((endpoint) => endpoint.node === node.name);
  return here.length > 0 && here.every(({ ready }) => !ready) && slice.filter(({ ready }) => ready).length < scale;
}

/** No other node of the zone is Ready and included, and the zone has pods that are targets. */
function isLastCandidate(world: World, { app }: WorldApp, node: WorldNode): boolean {
  const there = world.nodes.filter(({ zone }) => zone === node.zone);
  const candidates = there.filter(({ ready, excludedBy }) => ready && excludedBy === undefined);
  const names = new Set(there.map(({ name }) => name));
  const hasPods = (world.slices.get(app) ?? []).some((endpoint) => names.has(endpoint.node));
  return hasPods && candidates.length === 1 && candidates[0] === node;
}

/** The node serves a zone alone, though others of the zone host pods or not. */
function lastOfZone(world: World, app: WorldApp, node: WorldNode): boolean {
  const serving = servingNodes(world, app).filter(({ zone }) => zone === node.zone);
  return serving.length === 1 && serving[0] === node;
}

function servingNodes(world: World, { app, policy }: WorldApp): readonly WorldNode[] {
  const slice = world.slices.get(app) ?? [];
  return world.nodes.filter(
    (node) =>
      node.ready &&
      node.excludedBy === undefined &&
      node.targets.get(app) === 'healthy' &&
      (policy === 'Cluster' || slice.some((endpoint) => endpoint.node === node.name && endpoint.ready)),
  );
}
