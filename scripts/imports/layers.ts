import type { ModuleGraph } from './module-graph.ts';

/**
 * The rooms of core from the ground up: a room imports itself and the rooms before it, never one that comes after. Every room stands here.
 */
const coreRooms: readonly string[] = [
  'slices.ts',
  'text',
  'model',
  'connection',
  'steps',
  'schedule',
  'rollout',
  'policy',
  'guard',
  'waits',
  'eviction',
  'pod-surge',
  'surge',
  'plan',
  'audit',
  'status',
  'run',
  'cleanup',
];

/** An import between two places that must not be. */
interface LayerRule {
  readonly from: RegExp;
  readonly to: RegExp;
  readonly why: string;
}

/** What lint's `no-restricted-imports` does not say already (.oxlintrc.json). */
const layerRules: readonly LayerRule[] = [
  {
    from: /^(core|ports|operations|adapters|wiring|activities|workflows|worker)\//,
    to: /^policy-file\//,
    why: 'the written form of a policy ends at the command line: all others read the policy of core/policy',
  },
  {
    from: /^adapters\/(?!aws\/|gcp\/|calls\/)/,
    to: /^adapters\/(?!aws\/|gcp\/|calls\/)/,
    why: 'one adapter knows nothing of another; what two need of AWS is in adapters/aws, of Google in adapters/gcp, of any cloud in adapters/calls',
  },
  {
    from: /^(client|demo|bench)\//,
    to: /^workflows\/(?!(?:launcher-)?messages\.ts$)/,
    why: 'of the workflows, others see only messages.ts and launcher-messages.ts',
  },
  {
    from: /^(core|policy-file|ports|operations|adapters|activities|workflows)\//,
    to: /^wiring\//,
    why: 'only programs wire adapters together',
  },
  {
    from: /^(worker|client|demo|bench)\//,
    to: /^adapters\/(eks|gke|gcp|no-provider)\//,
    why: 'only wiring/ knows which provider has which adapter',
  },
  {
    from: /^lab\//,
    to: /^(core|policy-file|ports|operations|adapters|wiring|activities|workflows|worker|client|demo|bench)\//,
    why: 'the lab is a cluster and a cloud, whatever runs in it',
  },
  {
    from: /^(demo|bench)\//,
    to: /^activities\//,
    why: 'the demo uses the product as its users do',
  },
  { from: /^client\//, to: /^worker\//, why: 'the CLI starts the worker as a process of its own' },
];

/** One import that breaks the order of the layers. */
export interface LayerViolation {
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

/** The imports of core that climb to a room further up, in the order of their paths. */
export function findClimbing(graph: ModuleGraph, rooms: readonly string[] = coreRooms): LayerViolation[] {
  return edges(graph).flatMap(({ from, to }) => {
    const [lower, upper] = [roomOf(from), roomOf(to)];
    if (lower === undefined || upper === undefined) return [];
    const unknown = [lower, upper].find((room) => !rooms.includes(room));
    if (unknown !== undefined) return [{ from, to, why: `core/${unknown} is missing in the order of rooms` }];
    return rooms.indexOf(upper) <= rooms.indexOf(lower) ? [] : [{ from, to, why: `${upper} comes after ${lower}` }];
  });
}

/** The imports that a layer rule forbids, in the order of their paths. */
export function findLayerBreaks(graph: ModuleGraph): LayerViolation[] {
  return edges(graph).flatMap(({ from, to }) => {
    const rule = layerRules.find((one) => one.from.test(from) && one.to.test(to) && folderOf(from) !== folderOf(to));
    return rule === undefined ? [] : [{ from, to, why: rule.why }];
  });
}

function edges(graph: ModuleGraph): { readonly from: string; readonly to: string }[] {
  return [...graph.keys()]
    .sort()
    .flatMap((from) => (graph.get(from)?.imports ?? []).map(({ target }) => ({ from, to: target })));
}

/** The room of core that a module is in: a folder, or a file that stands alone. */
function roomOf(path: string): string | undefined {
  return /^core\/([^/]+)/.exec(path)?.[1];
}

function folderOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}
