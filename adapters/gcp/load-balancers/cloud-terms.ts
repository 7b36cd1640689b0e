import type { CloudTerms } from '../../../core/audit/cloud-terms.ts';
import { setAttributes } from './set-attributes.ts';

/**
 * The controllers of GKE choose health checks and draining by themselves, and most run outside of the cluster; pods get their readiness gates by a
 * webhook (GKE documentation, "Container-native load balancing", Pod readiness).
 */
export const googleTerms: CloudTerms = {
  setAttributes,
  // ingress-gce pkg/l4/backends/backends.go, EnsureL4BackendService: "not supported in UDP mode, explicitly set to 0".
  drainsNoDatagrams: true,
  drainTime: 'connectionDraining.drainingTimeoutSec of its backend service',
  // ingress-gce pkg/neg/types/shared/types.go
  readinessGates: ['cloud.google.com/load-balancer-neg-ready'],
  // ingress-gce pkg/neg/readiness/reflector.go, negReadyTimedOutReason: ten minutes after the pod was created.
  gateTimeout: 'LoadBalancerNegTimeout',
  controllers: [],
};
