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
 * Two old nodes in one zone: the smallest pool in which every protective rule is needed, built so that the rules can be
 * distinguished.
 * - The deregistration delay (2 s) is shorter than the propagation (8 s): a wait for the former alone ends while new
 *   connections still arrive.
 * - `api` has policy Cluster and pods that refuse connections after SIGTERM, while other nodes still send to them.
 * - `edge` has policy Cluster and its pod on a node that stays. The pool's nodes only forward its connections, so only
 *   their age can protect them.
 * - `agent` is a DaemonSet behind a Service: its endpoints outlive a drain.
 */
export const controlsScenario: Scenario = {
  name: 'controls',
  summary: 'two old nodes in one zone, built so that each protective rule that is missing causes losses',
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
