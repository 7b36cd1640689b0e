import { STATE } from '../cluster/state.ts';
import type { Scenario } from '../scenario.ts';
import { insideTraffic } from '../traffic/config.ts';
import { insideTrafficFile } from './demo.ts';
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
/** Servers close connections of that age, so that no wait is for them; long ones are left to those who send streams. */
const shortLived = { MAX_CONNECTION_AGE: '5s' } as const;
const tolerateSystem = [toleration('dedicated', 'system')];

const clusterIPs = { web: '10.96.0.80', api: '10.96.0.81', agent: '10.96.0.82', edge: '10.96.0.83' } as const;

/** New connections per second from the pod to each of its Services. */
const INSIDE_RATE = 20;

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
  // What takes time in every crossing and has nothing to do with any rule is short.
  delays: {
    nodegroupCreateMs: 200,
    instanceBootMs: 500,
    registrationMs: 500,
    deregistrationPropagationMs: 8_000,
    instanceTerminationMs: 500,
    nodegroupDeleteMs: 200,
  },
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
    {
      name: 'system',
      version: '1.36',
      instanceType: 'm7i.large',
      size: 1,
      minSize: 1,
      maxSize: 1,
      labels: onSystem,
      taints: [{ key: 'dedicated', value: 'system', effect: 'NoSchedule' }],
    },
  ],
  objects: [
    deployment({ name: 'web', replicas: 2, nodeSelector: onWeb, env: shortLived }),
    service('web', 'Local'),
    disruptionBudget('web', 1),
    deployment({ name: 'api', replicas: 2, nodeSelector: onWeb, env: shortLived }),
    service('api', 'Cluster'),
    disruptionBudget('api', 1),
    deployment({ name: 'edge', replicas: 1, nodeSelector: onSystem, env: shortLived, tolerations: tolerateSystem }),
    service('edge', 'Cluster'),
    daemonSet({ name: 'agent', nodeSelector: onWeb }),
    clusterIPService({ name: 'agent', clusterIP: clusterIPs.agent }),
    proberDeployment({
      name: 'inside',
      config: insideTraffic(
        (['api', 'agent'] as const).map((name) => ({ name, urls: [`http://${clusterIPs[name]}/`] })),
        INSIDE_RATE,
      ),
      nodeSelector: onSystem,
      tolerations: tolerateSystem,
      output: insideTrafficFile(STATE.shared),
    }),
  ],
  targetGroups: ['web', 'api', 'edge'].map((name) => ({
    service: name,
    attributes: { 'deregistration_delay.timeout_seconds': '2' },
  })),
};

function service(name: 'web' | 'api' | 'edge', externalTrafficPolicy: 'Local' | 'Cluster') {
  const clusterIP = clusterIPs[name];
  return loadBalancerService({ name, clusterIP, externalTrafficPolicy, healthCheckIntervalSeconds: 5 });
}
