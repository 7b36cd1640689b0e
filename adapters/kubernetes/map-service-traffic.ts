import type { V1Service, V1ServicePort } from '@kubernetes/client-node';

import type { ServiceFacts } from '../../core/model/service.ts';

const prefix = 'service.beta.kubernetes.io/aws-load-balancer';

/** Address of a Classic or an Application Load Balancer; those of Network Load Balancers are `NAME-ID.elb.REGION.amazonaws.com`. */
const classicAddress = /\.elb\.amazonaws\.com(?:\.cn)?$/i;

/** Protocols whose connections usually stay open until one side ends them. Their messages share one connection, or the connection is the session. */
const longLived = new Set(['grpc', 'grpc-web', 'h2c', 'http2', 'ws', 'wss', 'mqtt', 'amqp', 'redis', 'postgresql']);

type Traffic = Pick<ServiceFacts, 'clientAffinity' | 'usesUdp' | 'longLived' | 'targetNodeLabels' | 'cutsConnections'>;

/** What a Service says of its traffic and of its load balancer. */
export function trafficFacts(service: V1Service): Traffic {
  const { metadata, spec } = service;
  const ports = spec?.ports ?? [];
  const protocol = ports.map(longLivedOf).find((one) => one !== undefined);
  const labels = nodeLabels(metadata?.annotations?.[`${prefix}-target-node-labels`]);
  return {
    ...(spec?.sessionAffinity === 'ClientIP' ? { clientAffinity: true } : {}),
    ...(ports.some((port) => port.protocol === 'UDP') ? { usesUdp: true } : {}),
    ...(protocol === undefined ? {} : { longLived: protocol }),
    ...(labels === undefined ? {} : { targetNodeLabels: labels }),
    ...(isClassicWithoutDraining(service) ? { cutsConnections: true } : {}),
  };
}

/**
 * The protocol of a port, if its connections stay open: of `appProtocol` (KEP-3726: `kubernetes.io/h2c`, `kubernetes.io/ws`, `kubernetes.io/wss`, or a
 * name that IANA knows), or of its name, `protocol[-suffix]` (Istio docs, "Protocol Selection").
 */
function longLivedOf({ appProtocol, name }: V1ServicePort): string | undefined {
  const told = appProtocol?.replace(/^kubernetes\.io\//, '').toLowerCase();
  if (told !== undefined) return longLived.has(told) ? told : undefined;
  return [name, name?.split('-')[0]].find((one) => one !== undefined && longLived.has(one));
}

/**
 * Labels of the nodes that may be targets, `key=value,key,…`. A key without a value is satisfied by any (cloud-provider-aws,
 * pkg/providers/v1/aws_loadbalancer.go, filterTargetNodes).
 */
function nodeLabels(text: string | undefined): ServiceFacts['targetNodeLabels'] {
  const pairs = (text ?? '').split(',').flatMap((pair): [string, string][] => {
    const [key = '', value = ''] = pair.split('=').map((part) => part.trim());
    return key === '' ? [] : [[key, value]];
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/**
 * The AWS cloud controller manager makes a Classic Load Balancer unless an annotation names another type, or a class names another controller. It
 * lets connections end only where an annotation says so (cloud-provider-aws, pkg/providers/v1/aws.go and aws_loadbalancer.go, isNLB and isLBExternal).
 */
function isClassicWithoutDraining({ metadata, spec, status }: V1Service): boolean {
  const annotations = metadata?.annotations ?? {};
  const addresses = status?.loadBalancer?.ingress ?? [];
  return (
    spec?.type === 'LoadBalancer' &&
    spec.loadBalancerClass === undefined &&
    annotations[`${prefix}-type`] === undefined &&
    annotations[`${prefix}-connection-draining-enabled`] !== 'true' &&
    addresses.some(({ hostname = '' }) => classicAddress.test(hostname))
  );
}
