/**
 * Ingress controllers that end in two ways. A report about ingress-nginx behind passthrough load balancers of GKE compares them: the `wait-shutdown` of
 * its chart as preStop hook, with which it stops at once, and a hook that sleeps until the health check of the load balancer has failed. The app stops
 * listening on SIGTERM as nginx does on `quit`, and so its readiness probe fails from then on, as that of ingress-nginx does
 * (kubernetes/ingress-nginx issue 13689).
 */
import type { KubernetesObject } from '@kubernetes/client-node';
import { onWeb } from './parts.ts';
import { deployment, googleService, type PodEnding } from './workloads.ts';

/** Default of the kubelet, seconds. Both variants have it. */
const terminationGracePeriodSeconds = 30;

/** As in the report: `sleep + period x (failures - 1) >= grace period`. */
const readiness = { periodSeconds: 10, failureThreshold: 3 } as const;

/** The variants, by the name of their Deployment and Service. */
const endings = {
  waits: { clusterIP: '10.96.0.84', preStop: { exec: { command: ['/bin/app', '-wait-shutdown'] } } },
  sleeps: { clusterIP: '10.96.0.85', preStop: { sleep: { seconds: 10 } } },
} as const satisfies Readonly<Record<string, Pick<PodEnding, 'preStop'> & { readonly clusterIP: string }>>;

/** Both variants with two pods each, behind Services of policy Local. */
export function endingControllers(): readonly KubernetesObject[] {
  return Object.entries(endings).flatMap(([name, { clusterIP, preStop }]) => [
    deployment({
      name,
      replicas: 2,
      nodeSelector: onWeb,
      ending: { preStop: { ...preStop }, terminationGracePeriodSeconds, readiness },
    }),
    googleService({ name, clusterIP, externalTrafficPolicy: 'Local' }),
  ]);
}
