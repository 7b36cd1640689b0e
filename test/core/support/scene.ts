import { learnBaselines, type ServiceBaseline } from '../../../core/guard/baseline.ts';
import { type Guard, openGuard } from '../../../core/guard/guard.ts';
import type { DisruptionBudgetFacts } from '../../../core/model/pod.ts';
import type { PoolFacts } from '../../../core/model/pool.ts';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import type { PoolPlan } from '../../../core/plan/pool-plan.ts';
import { aGroup, aNode, anObservation, aPolicy, aPool, aService, aTarget, aWorkload, onePodOnEach } from './facts.ts';
import type {
  ClusterFacts,
  NodeFacts,
  NodeRef,
  PodFacts,
  Policy,
  ServiceFacts,
  ServingFacts,
  TargetGroupFacts,
  TargetState,
  WorkloadFacts,
} from './model.ts';

/** Two nodes in each of two zones. */
export const nodes = [aNode('n1'), aNode('n2'), aNode('n3', { zone: 'b' }), aNode('n4', { zone: 'b' })];
/** A pod of `web` on each. */
export const pods = onePodOnEach('web', nodes);
export const names = nodes.map(({ name }) => name);

/** What is different from four nodes that serve one Service, all of it healthy. */
export interface Scene {
  readonly nodes?: readonly NodeFacts[];
  /** What is different about nodes, by name. */
  readonly changed?: Readonly<Record<string, Partial<NodeFacts>>>;
  readonly pods?: readonly PodFacts[];
  readonly traffic?: ServiceFacts['externalTrafficPolicy'];
  readonly budgets?: readonly DisruptionBudgetFacts[];
  /** Deployment `web`, scaled to the pods that are there, unless given. */
  readonly workloads?: readonly WorkloadFacts[];
  readonly crossZone?: boolean;
  readonly service?: Partial<ServiceFacts>;
  /** State of targets that are not as their pods say; `absent` is not listed. */
  readonly states?: Readonly<Record<string, TargetState | 'absent'>>;
  readonly group?: Partial<TargetGroupFacts>;
  /** Anything else that the cluster has, or has instead. */
  readonly cluster?: Partial<ClusterFacts>;
  readonly observedAt?: number;
}

/** One Service with a pod on each of four nodes in two zones: whole unless the scene says otherwise. */
export function factsOf(scene: Scene = {}): ServingFacts {
  const { pods: running = pods, traffic = 'Local', budgets = [], states = {}, changed = {} } = scene;
  const all = (scene.nodes ?? nodes).map((node) => ({ ...node, ...changed[node.name] }));
  const answers = ({ labels, ready, terminating }: PodFacts) => labels['app'] === 'web' && ready && !terminating;
  const hosts = new Set(running.filter(answers).map((pod) => pod.node));
  const targets = all.flatMap((node) => {
    const state = states[node.name] ?? (traffic === 'Cluster' || hosts.has(node.name) ? 'healthy' : 'unhealthy');
    return state === 'absent' ? [] : [aTarget(node, { state })];
  });
  const services = [aService('web', running, { externalTrafficPolicy: traffic, ...scene.service })];
  const workloads = scene.workloads ?? [aWorkload('web', running.length)];
  const facts = anObservation({ nodes: all, pods: running, services, budgets, workloads, ...scene.cluster }, [
    aGroup('web', all, { targets, crossZone: scene.crossZone ?? true, ...scene.group }),
  ]);
  return { ...facts, observedAt: scene.observedAt ?? 0 };
}

/** What a run knows that has seen nothing but these facts. */
export function learned(facts: ServingFacts, policy: Policy = aPolicy()): readonly ServiceBaseline[] {
  return learnBaselines([], facts, policy);
}

/** The plan for a pool, which has these nodes, and all nodes of pool `web` unless given. */
export function planFor(facts: ServingFacts, changes: Partial<Policy> = {}, pool?: PoolFacts): PoolPlan {
  const old = facts.cluster.nodes.filter((node) => node.pool === 'web');
  return buildPlan({ policy: aPolicy(changes), run: 'run', pool: pool ?? aPool(old), facts });
}

/** The guard as things are `now`, after they were as they were `before`, while some are out. */
export function guardOf(now: ServingFacts, before = factsOf(), inFlight: readonly NodeRef[] = []): Guard {
  const policy = aPolicy();
  const baselines = learnBaselines(learned(before, policy), now, policy);
  return openGuard({ facts: now, policy, baselines, inFlight, waiting: nodes });
}

/** What keeps the node of that name. */
export const blockOf = (guard: Guard, name: string) =>
  guard.findBlock(nodes.find((node) => node.name === name) ?? aNode(name));
/** Names of the nodes that the guard keeps. */
export const blocked = (guard: Guard) => names.filter((name) => blockOf(guard, name) !== undefined);

/** Excludes nodes in order, until none may leave. */
export function leaving(now: ServingFacts, before = factsOf()): readonly string[] {
  const gone: NodeRef[] = [];
  for (const node of nodes) if (guardOf(now, before, gone).findBlock(node) === undefined) gone.push(node);
  return gone.map(({ name }) => name);
}
