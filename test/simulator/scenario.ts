import type { PodSurgeTerms, Policy } from '../../core/policy/policy.ts';
import type { Delays } from './delays.ts';
import { daemonTolerations, reconcileCluster } from './kubernetes.ts';
import { reconcileLoadBalancers } from './load-balancer.ts';
import { completePools } from './pool-creation.ts';
import { fillPool, rebalancePools, rememberForwarding } from './pools.ts';
import { servingTargets, trafficPasses } from './traffic.ts';
import { createWorld, type SimPool, type SimService, type World } from './world.ts';

/** A load balancer without anything special. */
export const plainBalancer = { crossZone: true, controller: 'service-controller', unhealthyDrainingMs: 0 } as const;

/** What a scenario may change. */
export interface ScenarioOptions {
  readonly nodes?: number;
  readonly zones?: readonly string[];
  /** Seconds for which the pods of `web` and `api` keep serving after they were told to stop. */
  readonly preStopSeconds?: number;
  readonly seed?: number;
  readonly delays?: Partial<Delays>;
  /** When the world begins, epoch ms. */
  readonly startsAt?: number;
}

/**
 * A cluster as in the demo: pool `web` over two zones; Service `web` (policy Local), Service `api` (policy Cluster), a budget each, and a DaemonSet
 * `agent` behind its own Service. Settled: everything is healthy and traffic flows.
 */
export function createScenario(options: ScenarioOptions = {}): World {
  const size = options.nodes ?? 4;
  const world = createWorld({
    seed: options.seed ?? 1,
    ...(options.delays === undefined ? {} : { delays: options.delays }),
    ...(options.startsAt === undefined ? {} : { startsAt: options.startsAt }),
    reconcile: (changed) => {
      reconcileCluster(changed);
      reconcileLoadBalancers(changed);
      completePools(changed);
      rebalancePools(changed);
      watchMinServing(changed);
    },
  });
  world.pools.push({
    name: 'web',
    status: 'active',
    version: 'v1.35.9',
    desiredSize: size,
    minSize: 1,
    maxSize: size * 2,
    zones: [...(options.zones ?? ['eu-west-1a', 'eu-west-1b'])],
    labels: {},
    problems: [],
    suspended: [],
    scales: true,
  });
  const pool = world.pools[0];
  if (pool !== undefined) fillPool(world, pool);
  world.clock.advance(2 * 60_000);
  for (const [name, policy] of [
    ['web', 'Local'],
    ['api', 'Cluster'],
  ] as const) {
    world.workloads.push({
      kind: 'Deployment',
      name,
      replicas: size,
      labels: { app: name },
      selector: { app: name },
      tolerations: [],
      creating: 0,
      version: 1,
      preStopSeconds: options.preStopSeconds ?? 0,
    });
    world.services.push({
      key: `default/${name}`,
      type: 'LoadBalancer',
      externalTrafficPolicy: policy,
      selector: { app: name },
      healthCheckNodePort: policy === 'Local' ? 31_000 : 0,
      ratePerSecond: 0,
      ...plainBalancer,
      view: [],
      targets: [],
    });
    world.budgets.push({ name, selector: { app: name }, maxUnavailable: name === 'web' ? Math.max(1, size / 2) : 1 });
  }
  world.workloads.push({
    kind: 'DaemonSet',
    name: 'agent',
    replicas: 0,
    labels: { app: 'agent' },
    selector: { app: 'agent' },
    tolerations: daemonTolerations,
    creating: 0,
    version: 1,
    preStopSeconds: 0,
  });
  world.services.push({
    key: 'default/agent',
    type: 'ClusterIP',
    externalTrafficPolicy: 'Cluster',
    selector: { app: 'agent' },
    healthCheckNodePort: 0,
    ratePerSecond: 0,
    ...plainBalancer,
    view: [],
    targets: [],
  });
  world.clock.onPassage((from, to) => {
    trafficPasses(world, from, to);
    rememberForwarding(world, to);
  });
  world.changed();
  world.clock.advance(10 * 60_000);
  for (const service of world.services) service.ratePerSecond = 100;
  world.log.length = 0;
  world.fewestServing.clear();
  world.changed();
  return world;
}

/** Adds pool `batch` to a settled world: two nodes, only for workload `batch`. */
export function addBatchPool(world: World): void {
  const [web] = world.pools;
  if (web === undefined) throw new Error('the world has no pool');
  world.pools.push({ ...web, name: 'batch', desiredSize: web.zones.length, problems: [], suspended: [] });
  web.zones.forEach((zone, index) => {
    const name = `ip-10-0-9-${index + 1}`;
    const instance = { instanceId: `i-${name}`, zone, pool: 'batch' };
    world.instances.push({ ...instance, state: 'running', alive: true });
    world.nodes.push({
      ...instance,
      name,
      uid: `uid-${name}`,
      kubeletVersion: web.version,
      ready: true,
      cordoned: false,
      labels: {},
      annotations: {},
      taints: [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }],
    });
  });
  world.workloads.push({
    kind: 'Deployment',
    name: 'batch',
    replicas: web.zones.length,
    labels: { app: 'batch' },
    selector: { app: 'batch' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    creating: 0,
    version: 1,
    preStopSeconds: 0,
  });
  world.changed();
  world.clock.advance(5 * 60_000);
}

/** Adds a pool to a settled world with nodes like those of `web`, and as many pods of `web` and `api` for it. */
export function addServingPool(world: World, name: string, size: number): void {
  const [web] = world.pools;
  if (web === undefined) throw new Error('the world has no pool');
  const pool = { ...web, name, desiredSize: size, maxSize: size * 2, problems: [], suspended: [] };
  world.pools.push(pool);
  fillPool(world, pool);
  for (const workload of world.workloads) if (workload.kind !== 'DaemonSet') workload.replicas += size;
  for (const service of world.services) service.ratePerSecond = 0;
  world.changed();
  world.clock.advance(10 * 60_000);
  for (const service of world.services) service.ratePerSecond = 100;
  world.traffic = { sent: 0, lost: 0, cut: 0 };
  world.fewestServing.clear();
  world.log.length = 0;
  world.changed();
}

/** Adds a pool to a settled world with nodes like those of `web`, on which no pod runs yet but those of the DaemonSet. */
export function addIdlePool(world: World, name: string, size: number, change: Partial<SimPool> = {}): void {
  const [web] = world.pools;
  if (web === undefined) throw new Error('the world has no pool');
  const pool = { ...web, name, desiredSize: size, problems: [], suspended: [], ...change };
  world.pools.push(pool);
  fillPool(world, pool);
  world.clock.advance(10 * 60_000);
  world.log.length = 0;
  world.fewestServing.clear();
  world.changed();
}

/** Adds Service `default/<name>` behind a Classic Load Balancer, which discovery can't see. Nobody sends to it yet. */
export function addClassicService(
  world: World,
  name: string,
  policy: 'Local' | 'Cluster',
  selector: Record<string, string> = { app: name },
): SimService {
  const service: SimService = {
    key: `default/${name}`,
    type: 'LoadBalancer',
    balancer: 'classic',
    externalTrafficPolicy: policy,
    selector,
    healthCheckNodePort: policy === 'Local' ? 31_001 : 0,
    ratePerSecond: 0,
    ...plainBalancer,
    view: [],
    targets: [],
  };
  world.services.push(service);
  world.changed();
  return service;
}

function watchMinServing(world: World): void {
  for (const service of world.services) {
    if (service.type !== 'LoadBalancer' || service.ratePerSecond === 0) continue;
    const serving = servingTargets(world, service);
    const fewest = world.fewestServing.get(service.key) ?? Number.POSITIVE_INFINITY;
    if (serving < fewest) world.fewestServing.set(service.key, serving);
  }
}

/** A policy for the scenario; `change` edits it. */
export function scenarioPolicy(change: Partial<Policy> = {}): Policy {
  return {
    name: 'web-to-1.36',
    cluster: { name: 'sim', region: 'eu-west-1' },
    pool: { provider: 'eks', name: 'web' },
    target: { poolName: 'web-new', version: 'v1.36.3', releaseVersion: undefined, launchTemplateVersion: undefined },
    guard: { defaultMinServing: 0.5, minServing: {}, maxInFlight: 2, acceptUnprotected: [] },
    waits: {
      propagationMs: 60_000,
      endpointPropagationMs: 2_000,
      marginMs: 5_000,
      pollIntervalMs: 5_000,
      stabilizationMs: 5_000,
      stabilizationAfterOutageMs: 60_000,
      maxConnectionAgeMs: { '*': 90_000 },
      deadlines: {
        nodesReadyMs: 15 * 60_000,
        capacityMs: 3 * 60_000,
        deregistrationMs: 3 * 60_000,
        registrationMs: 3 * 60_000,
        connectionDrainMs: 15 * 60_000,
        evictionMs: 20 * 60_000,
        replacementsMs: 15 * 60_000,
        endpointRemovalMs: 5 * 60_000,
        terminationMs: 10 * 60_000,
        jobCompletionMs: 60 * 60_000,
        guardMs: 30 * 60_000,
      },
    },
    drain: {
      deleteEmptyDirData: true,
      force: false,
      doNotDisrupt: 'refuse',
      jobs: 'evict',
      unreachableNodes: 'ask',
      keepEndpoints: [],
    },
    traffic: { probes: [], lossBudget: 10, watchAfterMs: 0 },
    disabledRules: [],
    ...change,
  };
}

/** Surges all pods at once, unless `terms` says otherwise; then only the guard decides how many nodes leave together. */
export function podSurgePolicy(terms: Partial<PodSurgeTerms> = {}, change: Partial<Policy> = {}): Policy {
  const policy = scenarioPolicy();
  return {
    ...policy,
    guard: { ...policy.guard, maxInFlight: 10 },
    podSurge: { mode: 'auto', max: 1, workloads: {}, ...terms },
    ...change,
  };
}
