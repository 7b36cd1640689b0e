import { join } from 'node:path';
import { STATE } from '../cluster/state.ts';
import type { Scenario } from '../scenario.ts';
import { insideTraffic } from '../traffic/config.ts';
import {
  clusterIPService,
  daemonSet,
  deployment,
  disruptionBudget,
  loadBalancerService,
  proberDeployment,
  toleration,
} from './workloads.ts';

const onWeb = { pool: 'web' } as const;
const onSystem = { pool: 'system' } as const;

/** Cluster IPs of the demo's Services, which the prober inside the cluster connects to. */
export const demoClusterIPs = { web: '10.96.0.80', api: '10.96.0.81', agent: '10.96.0.82' } as const;

/** New connections per second from the pod to each of its Services. */
const INSIDE_RATE = 20;

/** The file that the prober inside the cluster writes to, given the lab's shared folder. */
export function insideTrafficFile(sharedFolder: string): string {
  return join(sharedFolder, 'inside.jsonl');
}

/**
 * The demo: four old nodes in two zones behind two Network Load Balancers, one with externalTrafficPolicy Local
 * and one with Cluster, a DaemonSet behind a ClusterIP Service, and a node of another pool which stays as it is and
 * holds a prober that connects to cluster addresses.
 */
export const demoScenario: Scenario = {
  name: 'demo',
  summary: 'four old nodes in two zones, two load balancers, a DaemonSet and a second pool',
  region: 'eu-west-1',
  zones: ['eu-west-1a', 'eu-west-1b'],
  clusterName: 'lab',
  version: '1.36',
  delays: {},
  nodegroups: [
    {
      name: 'web',
      version: '1.35',
      instanceType: 'm7i.large',
      size: 4,
      minSize: 4,
      maxSize: 8,
      labels: onWeb,
    },
    {
      name: 'system',
      version: '1.36',
      instanceType: 'm7i.large',
      zones: ['eu-west-1a'],
      size: 1,
      minSize: 1,
      maxSize: 1,
      labels: onSystem,
      taints: [{ key: 'dedicated', value: 'system', effect: 'NoSchedule' }],
    },
  ],
  objects: [
    deployment({ name: 'web', replicas: 4, nodeSelector: onWeb }),
    loadBalancerService({
      name: 'web',
      clusterIP: demoClusterIPs.web,
      externalTrafficPolicy: 'Local',
      healthCheckIntervalSeconds: 5,
    }),
    disruptionBudget('web', 2),
    deployment({ name: 'api', replicas: 4, nodeSelector: onWeb }),
    loadBalancerService({
      name: 'api',
      clusterIP: demoClusterIPs.api,
      externalTrafficPolicy: 'Cluster',
      healthCheckIntervalSeconds: 5,
    }),
    disruptionBudget('api', 1),
    daemonSet({ name: 'agent', nodeSelector: onWeb }),
    clusterIPService({ name: 'agent', clusterIP: demoClusterIPs.agent }),
    proberDeployment({
      name: 'inside',
      config: insideTraffic(
        (['api', 'agent'] as const).map((name) => ({ name, urls: [`http://${demoClusterIPs[name]}/`] })),
        INSIDE_RATE,
      ),
      nodeSelector: onSystem,
      tolerations: [toleration('dedicated', 'system')],
      output: insideTrafficFile(STATE.shared),
    }),
  ],
  targetGroups: ['web', 'api'].map((service) => ({
    service,
    attributes: { 'deregistration_delay.timeout_seconds': '25' },
  })),
};
