import type { Scenario } from '../scenario.ts';
import { agent, deregisteredAfter, webAndApi, webNodegroup } from './parts.ts';

/**
 * One old node in each of two zones: the smallest pool with zones, for quick tests. Cross-zone load balancing is off, so that the only node of a zone
 * can't be spared: an upgrade of this pool is refused.
 */
export const smallScenario: Scenario = {
  name: 'small',
  summary: 'one old node in each of two zones, two load balancers and a DaemonSet',
  region: 'eu-west-1',
  zones: ['eu-west-1a', 'eu-west-1b'],
  clusterName: 'lab',
  version: '1.36',
  delays: {},
  nodegroups: [webNodegroup(2)],
  objects: [...webAndApi(2), ...agent()],
  targetGroups: deregisteredAfter(10, ['web', 'api']),
};
