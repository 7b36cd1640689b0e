import type { ServiceFacts } from '../../core/model/service.ts';
import type { TargetGroupBase } from '../../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../../core/model/unsupported-service.ts';
import { listNames } from '../../core/text/format.ts';
import type { KnownAttributes } from './attributes.ts';
import { type ElbReader, listLoadBalancersByArn, listTargetGroupsByArn } from './describe.ts';
import { isArn, mapTargetGroup } from './map.ts';

/** What discovery reads with. */
interface BoundDiscoverer {
  readonly reader: ElbReader;
  readonly attributes: KnownAttributes;
  /** Attributes read after this time (epoch ms) are not read again. */
  readonly since: number;
}

/**
 * Target groups that the cluster's own objects bind to Services, whatever the type of these: of an Ingress, a Gateway, or a target group that somebody
 * has made (AWS Load Balancer Controller, docs/guide/targetgroupbinding). They need no tag, because the binding says that the controller registers and
 * deregisters their pods. A group without a load balancer gets no connections, and is left out; so is
 * one that is `known` already: the controller makes bindings for the load balancers of Services as well.
 */
export async function discoverBoundGroups(
  { reader, attributes, since }: BoundDiscoverer,
  services: readonly ServiceFacts[],
  known: readonly TargetGroupBase[],
): Promise<readonly TargetGroupBase[]> {
  const isKnown = (key: string, arn: string) => known.some(({ service, id }) => service === key && id === arn);
  const bound = services.flatMap(({ key, podGroups }) =>
    (podGroups?.names ?? []).filter((name) => isArn(name) && !isKnown(key, name)).map((arn) => ({ service: key, arn })),
  );
  if (bound.length === 0) return [];
  const groups = await listTargetGroupsByArn(reader, [...new Set(bound.map(({ arn }) => arn))]);
  const used = groups.filter(
    ({ TargetType, LoadBalancerArns = [] }) => TargetType === 'ip' && LoadBalancerArns.length > 0,
  );
  const balancers = await listLoadBalancersByArn(reader, [
    ...new Set(used.flatMap(({ LoadBalancerArns = [] }) => LoadBalancerArns)),
  ]);
  const found = bound.flatMap(({ service, arn }) => {
    const targetGroup = used.find(({ TargetGroupArn }) => TargetGroupArn === arn);
    const loadBalancer = balancers.find(({ LoadBalancerArn = '' }) =>
      targetGroup?.LoadBalancerArns?.includes(LoadBalancerArn),
    );
    return targetGroup === undefined || loadBalancer === undefined ? [] : [{ service, targetGroup, loadBalancer }];
  });
  return await Promise.all(
    found.map(async (one) => {
      const [loadBalancerAttributes, targetGroupAttributes] = await Promise.all([
        attributes.ofLoadBalancer(one.loadBalancer, since),
        attributes.ofTargetGroup(one.targetGroup, since),
      ]);
      const controller = 'aws-load-balancer-controller' as const;
      return mapTargetGroup({ ...one, controller, isBound: true, loadBalancerAttributes, targetGroupAttributes });
    }),
  );
}

/**
 * A Service whose pods somebody registers in target groups of another account, by a role that the binding names (AWS Load Balancer Controller,
 * docs/guide/targetgroupbinding, "AssumeRole"). Our own role cannot read these, and is not told of them when it asks.
 */
export function boundInOtherAccounts({ key, podGroups }: ServiceFacts): readonly UnsupportedServiceFacts[] {
  const { inOtherAccounts } = podGroups ?? {};
  if (inOtherAccounts === undefined) return [];
  return [
    {
      service: key,
      why: 'other-targets',
      detail: `${listNames(inOtherAccounts)} registers its pods in a target group of another account (iamRoleArnToAssume)`,
      hint: 'Whether a pod is deregistered there could not be observed. Use a target group of this account, or give the pods a preStop sleep that outlasts their deregistration.',
    },
  ];
}
