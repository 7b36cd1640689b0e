/**
 * Ingress controllers that end in different ways, as a report about ingress-nginx behind passthrough load balancers of GKE tells them apart
 * (kubernetes/ingress-nginx issue 13689 has the same by the same author). From SIGTERM on the readiness probe fails. That the pod stays an endpoint
 * until it is killed, its settings must see to: `sleep + period x (failures - 1) >= grace period`.
 */
import type { KubernetesObject } from '@kubernetes/client-node';
import { googleService } from './google-services.ts';
import { onWeb } from './parts.ts';
import { deployment, type PodEnding } from './workloads.ts';

/** The settings of the report: exactly enough for a sleep of 10 s and a grace period of 30 s. */
const patient = { periodSeconds: 10, failureThreshold: 3 } as const;

interface Controller {
  readonly clusterIP: string;
  readonly ending: PodEnding;
  readonly env?: Readonly<Record<string, string>>;
}

/** The server serves on for 15 s after SIGTERM. Exactly enough with `patient`. */
const servesOn = { SHUTDOWN_GRACE_PERIOD: '15s' } as const;
const terminationGracePeriodSeconds = 20;

/** By the name of their Deployment and Service. */
const controllers: Readonly<Record<string, Controller>> = {
  /** The hook of the chart: it sends SIGTERM at once, and the server stops listening. */
  waits: {
    clusterIP: '10.96.0.84',
    ending: {
      preStop: { exec: { command: ['/bin/app', '-wait-shutdown'] } },
      terminationGracePeriodSeconds: 30,
      readiness: patient,
    },
  },
  /** As recommended. */
  sleeps: {
    clusterIP: '10.96.0.85',
    ending: { preStop: { sleep: { seconds: 10 } }, terminationGracePeriodSeconds: 30, readiness: patient },
  },
  /** It would serve on, but is no endpoint any more. */
  unready: {
    clusterIP: '10.96.0.86',
    ending: { terminationGracePeriodSeconds, readiness: { periodSeconds: 1, failureThreshold: 1 } },
    env: servesOn,
  },
  /** It serves on and stays an endpoint. */
  ready: { clusterIP: '10.96.0.87', ending: { terminationGracePeriodSeconds, readiness: patient }, env: servesOn },
};

/** All of them with two pods each, behind Services of policy Local. */
export function endingControllers(): readonly KubernetesObject[] {
  return Object.entries(controllers).flatMap(([name, { clusterIP, ending, env = {} }]) => [
    deployment({ name, replicas: 2, nodeSelector: onWeb, ending, env }),
    googleService('class', { name, clusterIP, externalTrafficPolicy: 'Local' }),
  ]);
}
