import type { ServiceFacts } from '../../core/model/service.ts';

/** The part of a TargetGroupBinding (elbv2.k8s.aws/v1beta1) that matters here (aws-load-balancer-controller, apis/elbv2/v1beta1/targetgroupbinding_types.go). */
export interface TargetGroupBinding {
  readonly metadata?: { readonly namespace?: string };
  readonly spec?: {
    readonly targetGroupARN?: string;
    readonly targetType?: string;
    readonly serviceRef?: { readonly name?: string };
  };
}

/** A target group of pods, by ARN, and the Service (`namespace/name`) whose pods are its targets. */
export interface BoundGroup {
  readonly service: string;
  readonly name: string;
}

/** None for a binding of nodes, and for one without an ARN, which its controller is still to find by name. */
export function boundGroupOf({ metadata, spec }: TargetGroupBinding): readonly BoundGroup[] {
  const { targetGroupARN: name = '', targetType, serviceRef } = spec ?? {};
  if (targetType === 'instance' || name === '' || serviceRef?.name === undefined) return [];
  return [{ service: `${metadata?.namespace ?? ''}/${serviceRef.name}`, name }];
}

/** The Services with the target groups that are bound to them. */
export function withBoundGroups(
  services: readonly ServiceFacts[],
  bound: readonly BoundGroup[],
): readonly ServiceFacts[] {
  if (bound.length === 0) return services;
  const byService = Map.groupBy(bound, ({ service }) => service);
  return services.map((service) => {
    const own = byService.get(service.key);
    if (own === undefined || service.podGroups !== undefined) return service;
    const names = [...new Set(own.map(({ name }) => name))].toSorted();
    return { ...service, podGroups: { names, zones: [], zonesNeedCandidate: false } };
  });
}
