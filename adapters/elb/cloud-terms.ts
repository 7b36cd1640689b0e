import type { CloudTerms, GroupAttribute, WantedAttributes } from '../../core/audit/cloud-terms.ts';
import type { Fix } from '../../core/audit/fix.ts';
import type { TargetGroupFacts } from '../../core/model/target-group.ts';

const prefix = 'service.beta.kubernetes.io/aws-load-balancer';

/** Attributes of target groups (Elastic Load Balancing API reference, TargetGroupAttribute). */
export const groupAttributes = {
  crossZone: 'load_balancing.cross_zone.enabled',
  drainSeconds: 'deregistration_delay.timeout_seconds',
  endsDrained: 'deregistration_delay.connection_termination.enabled',
  endsUnhealthy: 'target_health_state.unhealthy.connection_termination.enabled',
  unhealthyDrainSeconds: 'target_health_state.unhealthy.draining_interval_seconds',
  proxyHeader: 'proxy_protocol_v2.enabled',
  sticky: 'stickiness.enabled',
} as const;

/**
 * The annotations of Services that the controllers of AWS read (cloud-provider-aws pkg/providers/v1/aws.go; AWS Load Balancer Controller,
 * docs/guide/service/annotations.md): `attributes` as a whole only the AWS Load Balancer Controller, because the other one refuses a Service with any but
 * two attributes, or ignores the annotation if it is older (pkg/providers/v1/aws_validations.go). Neither resets an attribute that the annotation does not
 * have, so they can also be set at the group itself. And the labels of their pods and of namespaces with readiness gates (docs/deploy/pod_readiness_gate.md).
 */
export const elbTerms: CloudTerms = {
  annotations: {
    healthCheckPort: `${prefix}-healthcheck-port`,
    healthCheckProtocol: `${prefix}-healthcheck-protocol`,
    healthCheckInterval: `${prefix}-healthcheck-interval`,
    unhealthyThreshold: `${prefix}-healthcheck-unhealthy-threshold`,
    attributes: `${prefix}-target-group-attributes`,
    letsConnectionsEnd: `${prefix}-connection-draining-enabled`,
    connectionEndSeconds: `${prefix}-connection-draining-timeout`,
    targetNodeLabels: `${prefix}-target-node-labels`,
  },
  attributes: groupAttributes,
  setAttributes,
  drainTime: `${groupAttributes.drainSeconds} of its target groups`,
  // pkg/targetgroupbinding/utils.go; EKS Auto Mode has a domain of its own.
  readinessGates: ['target-health.elbv2.k8s.aws/', 'target-health.eks.amazonaws.com/'],
  readinessGateLabels: [
    'elbv2.k8s.aws/pod-readiness-gate-inject=enabled',
    'eks.amazonaws.com/pod-readiness-gate-inject=enabled',
  ],
  // helm/aws-load-balancer-controller/templates/webhook.yaml
  readinessGateWebhook: {
    name: 'mpod.elbv2.k8s.aws',
    setting: 'podMutatorWebhookConfig.failurePolicy=Fail of the Helm chart aws-load-balancer-controller',
  },
  controllers: [
    { label: 'app.kubernetes.io/name', value: 'aws-load-balancer-controller' },
    { label: 'k8s-app', value: 'aws-cloud-controller-manager' },
  ],
};

/**
 * How to set attributes of a target group at the group itself. The region is part of the ARN (`arn:aws:elasticloadbalancing:REGION:…`), but the AWS CLI does
 * not take it from there.
 */
function setAttributes({ id, followsService }: TargetGroupFacts, wanted: WantedAttributes): Fix {
  const region = id.split(':')[3] ?? '';
  const pairs = Object.entries(wanted).map(
    ([key, value]) => `Key=${groupAttributes[key as GroupAttribute]},Value=${value}`,
  );
  const warning =
    'Not in an annotation of the Service: its controller ignores it there, or refuses the Service and registers no more nodes.';
  return {
    text: [
      'Set it at the target group itself, without interrupting connections. It stays, unless an annotation sets the same; a group that is made anew begins with the defaults.',
      ...(followsService === 'with-new-group' ? [warning] : []),
    ].join(' '),
    commands: [
      [
        'aws elbv2 modify-target-group-attributes',
        ...(region === '' ? [] : [`--region ${region}`]),
        `--target-group-arn ${id}`,
        `--attributes ${pairs.join(' ')}`,
      ].join(' '),
    ],
  };
}
