import type { Scenario } from '../scenario.ts';
import { clusterIPService, daemonSet, deployment, disruptionBudget, loadBalancerService } from './workloads.ts';

const onWeb = { pool: 'web' } as const;

/** Cluster IPs of the small scenario's Services. */
export const smallClusterIPs = { web: '10.96.0.80', api: '10.96.0.81', agent: '10.96.0.82' } as const;

/** One old node in each of two zones: the least that can be replaced without a loss, for quick tests. */
export const smallScenario: Scenario = {
  name: 'small',
  summary: 'one old node in each of two zones, two load balancers and a DaemonSet',
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
      size: 2,
      minSize: 2,
      maxSize: 4,
      labels: onWeb,
    },
  ],
  objects: [
    deployment({ name: 'web', replicas: 2, nodeSelector: onWeb }),
    loadBalancerService({
      name: 'web',
      clusterIP: smallClusterIPs.web,
      externalTrafficPolicy: 'Local',
      healthCheckIntervalSeconds: 5,
    }),
    disruptionBudget('web', 1),
    deployment({ name: 'api', replicas: 2, nodeSelector: onWeb }),
    loadBalancerService({
      name: 'api',
      clusterIP: smallClusterIPs.api,
      externalTrafficPolicy: 'Cluster',
      healthCheckIntervalSeconds: 5,
    }),
    disruptionBudget('api', 1),
    daemonSet({ name: 'agent', nodeSelector: onWeb }),
    clusterIPService({ name: 'agent', clusterIP: smallClusterIPs.agent }),
  ],
  targetGroups: ['web', 'api'].map((service) => ({
    service,
    attributes: { 'deregistration_delay.timeout_seconds': '10' },
  })),
};
