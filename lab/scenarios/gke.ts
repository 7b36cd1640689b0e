import type { GkeScenario } from '../scenario.ts';
import { agent, insideProber, passthroughService, systemNodegroup, webAndApi, webNodegroup } from './parts.ts';

/** The demo on GKE: as on AWS, but behind passthrough load balancers that the real ingress-gce makes. */
export const gkeScenario: GkeScenario = {
  cloud: 'google',
  name: 'gke',
  summary:
    'the demo on GKE: four old nodes in two zones, two passthrough load balancers, a DaemonSet and a second pool',
  region: 'europe-west1',
  zones: ['europe-west1-b', 'europe-west1-c'],
  clusterName: 'lab',
  version: '1.36',
  delays: {},
  nodegroups: [
    { ...webNodegroup(4), instanceType: 'e2-standard-2' },
    { ...systemNodegroup('europe-west1-b'), instanceType: 'e2-standard-2' },
  ],
  objects: [...webAndApi(4, {}, {}, passthroughService), ...agent(), insideProber()],
};
