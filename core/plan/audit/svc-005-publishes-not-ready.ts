import { type ClusterRule, servicesOnPool } from './rule.ts';

/**
 * SVC-005: with publishNotReadyAddresses terminating pods stay ready endpoints, so the health check passes until the pod is gone
 * (kubernetes staging/src/k8s.io/endpointslice/utils.go).
 */
export const svc005PublishesNotReady: ClusterRule = (question) =>
  servicesOnPool(question)
    .filter(({ service }) => service.publishNotReadyAddresses)
    .map(({ service }) => ({
      rule: 'SVC-005',
      severity: 'error',
      subject: `service ${service.key}`,
      message: 'publishNotReadyAddresses: pods that are not ready or are stopping count as ready endpoints',
      hint: 'Remove publishNotReadyAddresses from Services behind a load balancer.',
      leavesUnprotected: true,
    }));
