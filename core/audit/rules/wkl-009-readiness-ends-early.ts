import { preStopOf } from '../../model/pre-stop.ts';
import { fixProbe } from '../containers.ts';
import { evictedPods, failuresToOutlast } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** WKL-009: a terminating pod whose readiness may fail while connections still arrive. */
export const wkl009ReadinessEndsEarly: Rule = {
  id: 'WKL-009',
  severities: ['warning'],
  title: 'Readiness that may fail while a terminating pod still serves',
  why: 'Readiness probes continue while a pod terminates. Many applications fail them on SIGTERM. A pod that terminates and is not ready is no endpoint at all: under policy Local kube-proxy drops what the load balancer still sends to its node.',
  fix: 'Raise failureThreshold of the readiness probe, so that the pod stays ready until its connections have ended; or have the application stay ready after SIGTERM.',
  source: 'KEP-1669; kubernetes pkg/proxy/topology.go; kubernetes/ingress-nginx#13689',
  needsLoadBalancers: true,
  check: (question) =>
    groupPods(evictedPods(question), (evicted, object) => {
      const { pod } = evicted;
      const { readiness } = pod.lifecycle ?? {};
      const outlast = failuresToOutlast(evicted, question);
      if (readiness === undefined || outlast === undefined) return undefined;
      const { periodSeconds, failureThreshold, container } = readiness;
      if (failureThreshold >= outlast.failures) return undefined;
      const staysReady = preStopOf(pod) + periodSeconds * (failureThreshold - 1);
      return {
        severity: 'warning',
        message: `connections may last ${outlast.seconds} s after an eviction; if the application fails its readiness probe on SIGTERM, the pod is no endpoint after ${staysReady} s (preStop ${preStopOf(pod)} s, ${failureThreshold} failures every ${periodSeconds} s)`,
        fix: fixProbe(
          {
            pod,
            object,
            container,
            text: `Have the application stay ready until it exits, or raise failureThreshold to ${outlast.failures}.`,
          },
          { failureThreshold: outlast.failures },
          question,
        ),
      };
    }),
};
