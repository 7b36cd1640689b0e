/** Facts of load balancers whose targets are pods. */
import type { PodTarget } from '../../../core/model/target-group.ts';
import { aGroup, anObservation, aService } from './facts.ts';
import type { ClusterFacts, PodFacts, ServiceFacts, ServingFacts, TargetGroupFacts, TargetState } from './model.ts';

/** The pod with an address of its own. */
function withAddress(pod: PodFacts): PodFacts {
  return { ...pod, ips: [`ip-of-${pod.name}`] };
}

/** The target of a pod. */
function targetOf({ name }: PodFacts, state: TargetState): PodTarget {
  return { kind: 'pod', ip: `ip-of-${name}`, port: 8_080, zone: undefined, state };
}

/** A target group of Service `default/<app>` that has these pods: healthy, unless `states` says otherwise by name; `gone`: not registered. */
function aPodGroup(
  app: string,
  pods: readonly PodFacts[],
  states: Readonly<Record<string, TargetState | 'gone'>> = {},
): TargetGroupFacts {
  const targets = pods.flatMap((pod) => {
    const state = states[pod.name] ?? 'healthy';
    return state === 'gone' ? [] : [targetOf(pod, state)];
  });
  return aGroup(app, [], { kind: 'elbv2-ip', membership: 'pods', zones: ['a', 'b'], targets });
}

/** Service `default/web` with these pods, which are targets of its load balancer. */
export function podsBehind(
  pods: readonly PodFacts[],
  {
    states = {},
    service = {},
    ...cluster
  }: Partial<ClusterFacts> & {
    readonly states?: Readonly<Record<string, TargetState | 'gone'>>;
    readonly service?: Partial<ServiceFacts>;
  } = {},
): ServingFacts {
  const all = pods.map(withAddress);
  const group = aPodGroup('web', all, states);
  const services = [aService('web', all, { externalTrafficPolicy: 'Cluster', ...service })];
  return anObservation({ pods: all, services, podTargets: [group], ...cluster }, [group]);
}
