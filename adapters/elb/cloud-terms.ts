import type { CloudTerms } from '../../core/audit/cloud-terms.ts';

const prefix = 'service.beta.kubernetes.io/aws-load-balancer';

/**
 * The annotations of Services that both controllers of AWS read (cloud-provider-aws pkg/providers/v1/aws.go; AWS Load Balancer Controller,
 * docs/guide/service/annotations.md), and the labels of their pods and of namespaces with readiness gates (docs/deploy/pod_readiness_gate.md).
 */
export const elbTerms: CloudTerms = {
  annotations: {
    healthCheckPort: `${prefix}-healthcheck-port`,
    healthCheckProtocol: `${prefix}-healthcheck-protocol`,
    healthCheckInterval: `${prefix}-healthcheck-interval`,
    unhealthyThreshold: `${prefix}-healthcheck-unhealthy-threshold`,
    attributes: `${prefix}-target-group-attributes`,
  },
  readinessGateLabel: 'elbv2.k8s.aws/pod-readiness-gate-inject=enabled',
  controllers: [
    { label: 'app.kubernetes.io/name', value: 'aws-load-balancer-controller' },
    { label: 'k8s-app', value: 'aws-cloud-controller-manager' },
  ],
};
