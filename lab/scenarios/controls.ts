import type { Scenario } from '../scenario.ts';
import {
  agent,
  balancedService,
  deregisteredAfter,
  insideProber,
  onSystem,
  quickDelays,
  shortLived,
  systemNodegroup,
  tolerateSystem,
  webAndApi,
  webNodegroup,
} from './parts.ts';
import { deployment } from './workloads.ts';

/**
 * Two old nodes in one zone: the least in which every protective rule is needed, made so that the rules can be told apart.
 * - The deregistration delay (2 s) is shorter than the propagation (8 s): a wait for the former alone ends while new
 *   connections still arrive.
 * - `api` has policy Cluster and pods that refuse connections from SIGTERM on: other nodes still send there.
 * - `edge` has policy Cluster and its pod on a node that stays: all that the pool's nodes have of it are connections on
 *   their way through, so nothing but their age can protect them.
 * - `agent` is a DaemonSet behind a Service: its endpoints outlive a drain.
 */
export const controlsScenario: Scenario = {
  name: 'controls',
  summary: 'two old nodes in one zone, made so that the loss of each protective rule shows',
  region: 'eu-west-1',
  zones: ['eu-west-1a'],
  clusterName: 'lab',
  version: '1.36',
  delays: quickDelays,
  nodegroups: [webNodegroup(2), systemNodegroup()],
  objects: [
    ...webAndApi(2, shortLived),
    deployment({ name: 'edge', replicas: 1, nodeSelector: onSystem, env: shortLived, tolerations: tolerateSystem }),
    balancedService('edge', 'Cluster'),
    ...agent(),
    insideProber(),
  ],
  targetGroups: deregisteredAfter(2, ['web', 'api', 'edge']),
};
