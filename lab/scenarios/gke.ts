import type { GkeScenario } from '../scenario.ts';
import { endingControllers } from './endings.ts';
import { agent, insideProber, passthroughService, systemNodegroup, webAndApi, webNodegroup } from './parts.ts';

const cluster = {
  cloud: 'google',
  region: 'europe-west1',
  zones: ['europe-west1-b', 'europe-west1-c'],
  clusterName: 'lab',
  version: '1.36',
  delays: {},
} as const satisfies Partial<GkeScenario>;

/** The demo on GKE: as on AWS, but behind passthrough load balancers that the real ingress-gce makes. */
export const gkeScenario: GkeScenario = {
  ...cluster,
  name: 'gke',
  summary:
    'the demo on GKE: four old nodes in two zones, two passthrough load balancers, a DaemonSet and a second pool',
  nodegroups: [
    { ...webNodegroup(4), instanceType: 'e2-standard-2' },
    { ...systemNodegroup('europe-west1-b'), instanceType: 'e2-standard-2' },
  ],
  objects: [...webAndApi(4, {}, {}, passthroughService), ...agent(), insideProber()],
};

/** One node in each of two zones, whose pods end in different ways when they are evicted. */
export const gkeEndingsScenario: GkeScenario = {
  ...cluster,
  name: 'gke-endings',
  summary: 'two nodes of GKE in two zones, a DaemonSet, and two ingress controllers that end in different ways',
  nodegroups: [{ ...webNodegroup(2), instanceType: 'e2-standard-2' }],
  objects: [...endingControllers(), ...agent()],
};
