import type { CloudTerms } from '../../../core/audit/cloud-terms.ts';

/**
 * The controllers of GKE choose health checks and draining by themselves, and most run outside of the cluster; pods get their readiness gates by a
 * webhook (GKE documentation, "Container-native load balancing", Pod readiness).
 */
export const googleTerms: CloudTerms = {
  drainTime: 'connectionDraining.drainingTimeoutSec of its backend service',
  // ingress-gce pkg/neg/types/shared/types.go
  readinessGates: ['cloud.google.com/load-balancer-neg-ready'],
  // ingress-gce pkg/neg/readiness/reflector.go, negReadyTimedOutReason: ten minutes after the pod was created.
  gateTimeout: 'LoadBalancerNegTimeout',
  controllers: [],
};
