import type { Scenario } from '../scenario.ts';
import { agent, deregisteredAfter, insideProber, systemNodegroup, webAndApi, webNodegroup } from './parts.ts';

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
  nodegroups: [webNodegroup(4), systemNodegroup()],
  objects: [...webAndApi(4), ...agent(), insideProber()],
  targetGroups: deregisteredAfter(25, ['web', 'api']),
};
