import type { SpreadFacts, TolerationFacts } from '../../core/model/pod.ts';
import { templateHash } from './pods.ts';
import { matches, type SimNode, type SimPod, type World } from './world.ts';

const zoneLabel = 'topology.kubernetes.io/zone';

/**
 * The node that a pod gets; undefined while none fits. A cordon is a taint like others for pods that tolerate it (kubernetes/kubernetes,
 * pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go, Filter).
 */
export function chooseNode(world: World, pod: SimPod): SimNode | undefined {
  const fit = world.nodes
    .filter((node) => node.ready && tolerates(pod.tolerations, node) && hasRoom(world, pod, node))
    .filter((node) => hasCompany(world, pod, node))
    .filter((node) => (pod.spreads ?? []).every((spread) => keepsSkew(world, pod, node, spread)))
    .sort((a, b) => load(world, pod, a) - load(world, pod, b) || a.name.localeCompare(b.name));
  // Which of the fitting nodes is best is a matter of scores: spreading is one of many, and can be disabled.
  if (world.faults.scheduler === 'spreads') return fit[0];
  if (world.faults.scheduler === 'crowds') return fit.at(-1);
  return fit[Math.floor(world.random() * fit.length)];
}

/** Required affinity by host (kubernetes/kubernetes, pkg/scheduler/framework/plugins/interpodaffinity/filtering.go, satisfyPodAffinity). */
function hasCompany(world: World, pod: SimPod, node: SimNode): boolean {
  const beside = world.workloads.find(({ name }) => name === pod.of)?.beside;
  if (beside === undefined) return true;
  return world.pods.some((other) => other.of === beside && other.node === node.name && !other.terminating);
}

function hasRoom(world: World, pod: SimPod, node: SimNode): boolean {
  const isLarge = world.workloads.some(({ name, fillsNode }) => name === pod.of && fillsNode === true);
  return !isLarge || !world.pods.some((other) => other.node === node.name && other.of === pod.of);
}

/** As if spreading meant only having few pods on each node; `crowds` inverts it. */
function load(world: World, pod: SimPod, node: SimNode): number {
  const sameApp = world.pods.filter((other) => other.node === node.name && other.of === pod.of);
  return sameApp.length * 100 + world.pods.filter((other) => other.node === node.name).length;
}

/**
 * Whether the node's domain would not get too far ahead of the one with the fewest pods (kubernetes/kubernetes,
 * pkg/scheduler/framework/plugins/podtopologyspread/filtering.go, Filter, and common.go, countPodsMatchSelector and matchNodeInclusionPolicies).
 * Every node with the label is a domain, cordoned or not, unless nodeTaintsPolicy is Honor. Every pod that the selector matches counts, whoever owns
 * it, except those that terminate.
 */
function keepsSkew(world: World, pod: SimPod, node: SimNode, spread: SpreadFacts): boolean {
  if (!spread.isRequired) return true;
  const counts = new Map<string, number>();
  for (const one of world.nodes) {
    if (!spread.countsCordoned && !tolerates(pod.tolerations, one)) continue;
    const domain = domainOf(one, spread);
    counts.set(domain, (counts.get(domain) ?? 0) + countOn(world, one, pod, spread));
  }
  const own = counts.get(domainOf(node, spread)) ?? 0;
  return own + 1 - Math.min(...counts.values()) <= spread.maxSkew;
}

function domainOf(node: SimNode, { topologyKey }: SpreadFacts): string {
  return topologyKey === zoneLabel ? node.zone : node.name;
}

function countOn(world: World, node: SimNode, pod: SimPod, { countsReleased }: SpreadFacts): number {
  const selector = { ...plainSelector(world, pod), ...(countsReleased ? {} : templateHash(pod.version)) };
  return world.pods.filter((one) => one.node === node.name && !one.terminating && matches(selector, one.labels)).length;
}

function plainSelector(world: World, { of }: SimPod): Readonly<Record<string, string>> {
  return world.workloads.find(({ name }) => name === of)?.selector ?? {};
}

/** Whether a pod with these tolerations may run on the node, or counts it when taints are honoured. */
export function tolerates(tolerations: readonly TolerationFacts[], node: SimNode): boolean {
  const taints = node.cordoned
    ? [...node.taints, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' as const }]
    : node.taints;
  return taints.every(
    (taint) =>
      taint.effect === 'PreferNoSchedule' ||
      tolerations.some((one) => (one.key === undefined && one.operator === 'Exists') || one.key === taint.key),
  );
}
