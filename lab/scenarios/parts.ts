/** What the scenarios share: pools, addresses, the workloads that are replaced, and the prober that connects from a pod. */
import { join } from 'node:path';
import type { KubernetesObject } from '@kubernetes/client-node';
import { STATE } from '../cluster/state.ts';
import type { Scenario } from '../scenario.ts';
import { insideTraffic } from '../traffic/config.ts';
import { googleService } from './google-services.ts';
import {
  clusterIPService,
  daemonSet,
  deployment,
  disruptionBudget,
  loadBalancerService,
  proberDeployment,
  toleration,
} from './workloads.ts';

/** Where the pods of the replaced pool run, and those of the pool that stays. */
export const onWeb = { pool: 'web' } as const;
export const onSystem = { pool: 'system' } as const;
export const tolerateSystem = [toleration('dedicated', 'system')];

const clusterIPs = { web: '10.96.0.80', api: '10.96.0.81', agent: '10.96.0.82', edge: '10.96.0.83' } as const;

/** New connections per second from the pod to each of its Services. */
const INSIDE_RATE = 20;

/** The file that the prober inside the cluster writes to, given the lab's shared folder. */
export function insideTrafficFile(sharedFolder: string): string {
  return join(sharedFolder, 'inside.jsonl');
}

/** The old pool `web` with that many nodes, and room for as many new ones. */
export function webNodegroup(size: number): Scenario['nodegroups'][number] {
  const sizes = { size, minSize: size, maxSize: 2 * size };
  return { name: 'web', version: '1.35', instanceType: 'm7i.large', ...sizes, labels: onWeb };
}

/** The pool `system` with one tainted node in that zone, which stays. */
export function systemNodegroup(zone = 'eu-west-1a'): Scenario['nodegroups'][number] {
  return {
    name: 'system',
    version: '1.36',
    instanceType: 'm7i.large',
    zones: [zone],
    size: 1,
    minSize: 1,
    maxSize: 1,
    labels: onSystem,
    taints: [{ key: 'dedicated', value: 'system', effect: 'NoSchedule' }],
  };
}

/** A Service behind a Network Load Balancer with a health check every 5 s. */
export function balancedService(name: 'web' | 'api' | 'edge', externalTrafficPolicy: 'Local' | 'Cluster') {
  const clusterIP = clusterIPs[name];
  return loadBalancerService({ name, clusterIP, externalTrafficPolicy, healthCheckIntervalSeconds: 5 });
}

/** A Service behind a passthrough load balancer of GKE, whose backends are network endpoint groups. */
export function passthroughService(name: 'web' | 'api', externalTrafficPolicy: 'Local' | 'Cluster') {
  return googleService('class', { name, clusterIP: clusterIPs[name], externalTrafficPolicy });
}

/** The file that makes all pods of a workload unready while it exists, if they were configured with it. */
export function unreadyFile(workload: string): string {
  return join(STATE.shared, `unready-${workload}`);
}

/**
 * `web` behind policy Local and `api` behind policy Cluster, each with a budget: half of `web` at a time, and one pod of `api`. `unready.web` names
 * the file that makes the pods of `web` unready. `requiresZones`: pods must be spread over zones. `serve` makes the Services.
 */
export function webAndApi(
  replicas: number,
  env: Readonly<Record<string, string>> = {},
  unready: { readonly web?: string; readonly requiresZones?: boolean } = {},
  serve: (name: 'web' | 'api', policy: 'Local' | 'Cluster') => KubernetesObject = balancedService,
): Scenario['objects'] {
  const file = unready.web === undefined ? {} : { unreadyFile: unready.web };
  const { requiresZones = false } = unready;
  return [
    deployment({ name: 'web', replicas, nodeSelector: onWeb, env, requiresZones, ...file }),
    serve('web', 'Local'),
    disruptionBudget('web', Math.floor(replicas / 2)),
    deployment({ name: 'api', replicas, nodeSelector: onWeb, env, requiresZones }),
    serve('api', 'Cluster'),
    disruptionBudget('api', 1),
  ];
}

/** The DaemonSet `agent` behind its own Service. */
export function agent(): Scenario['objects'] {
  return [
    daemonSet({ name: 'agent', nodeSelector: onWeb }),
    clusterIPService({ name: 'agent', clusterIP: clusterIPs.agent }),
  ];
}

/** A prober on the pool that stays, which connects to the cluster addresses of these Services. */
export function insideProber(services: readonly ('api' | 'agent')[] = ['api', 'agent']): Scenario['objects'][number] {
  const targets = services.map((name) => ({ name, urls: [`http://${clusterIPs[name]}/`] }));
  return proberDeployment({
    name: 'inside',
    config: insideTraffic(targets, INSIDE_RATE),
    nodeSelector: onSystem,
    tolerations: tolerateSystem,
    output: insideTrafficFile(STATE.shared),
  });
}

/** Short delays for what every upgrade needs and a scenario is not about. */
export const quickDelays: Scenario['delays'] = {
  nodegroupCreateMs: 200,
  instanceBootMs: 500,
  registrationMs: 500,
  deregistrationPropagationMs: 8_000,
  instanceTerminationMs: 500,
  nodegroupDeleteMs: 200,
};

/** Servers close connections at this age, so that no wait depends on them; long ones are left to scenarios that send streams. */
export const shortLived = { MAX_CONNECTION_AGE: '5s' } as const;

/** Target groups of these Services with that deregistration delay. */
export function deregisteredAfter(seconds: number, services: readonly string[]): Scenario['targetGroups'] {
  const attributes = { 'deregistration_delay.timeout_seconds': String(seconds) };
  return services.map((service) => ({ service, attributes }));
}
