import type { ServiceFacts } from '../../core/model/service.ts';
import { type NodeBackend, withNodeBackends } from './node-backends.ts';

/**
 * The part of a TargetGroupBinding that matters here (aws-load-balancer-controller, apis/elbv2/v1beta1/targetgroupbinding_types.go). EKS Auto Mode has the
 * same fields in eks.amazonaws.com/v1, and requires the target type (EKS user guide, "Create an IngressClass to configure an Application Load Balancer").
 */
interface TargetGroupBinding {
  readonly metadata?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly targetGroupARN?: string;
    readonly targetType?: string;
    /** Role of the account that the target group is in, where that is another one (docs/guide/targetgroupbinding, "AssumeRole"). */
    readonly iamRoleArnToAssume?: string;
    readonly serviceRef?: { readonly name?: string };
  };
}

/** A target group of pods, by ARN, and the Service (`namespace/name`) whose pods are its targets. `inOtherAccount`: nobody here can read it. */
export interface BoundGroup {
  readonly service: string;
  readonly name: string;
  readonly by: string;
  readonly inOtherAccount: boolean;
}

/** Of what the controller makes for the Service of that name (aws-load-balancer-controller, pkg/deploy/tracking/provider.go, StackLabels). */
const stackNamespaceLabel = 'service.k8s.aws/stack-namespace';
const stackNameLabel = 'service.k8s.aws/stack-name';

/** What the bindings of one controller say. */
export interface Bindings {
  readonly groups: readonly BoundGroup[];
  /** Services to which they bind target groups of nodes. */
  readonly nodes: readonly NodeBinding[];
}

/** A binding of nodes. `isOwn`: its controller has made it for the load balancer of the Service itself. */
export interface NodeBinding extends NodeBackend {
  readonly isOwn: boolean;
}

/** Reads them. */
export function readBindings(items: readonly object[]): Bindings {
  const bindings = items as readonly TargetGroupBinding[];
  return { groups: bindings.flatMap(boundGroupOf), nodes: bindings.flatMap(nodeBindingOf) };
}

/** None for a binding of nodes, and for one without an ARN, which its controller is still to find by name. */
export function boundGroupOf({ metadata, spec }: TargetGroupBinding): readonly BoundGroup[] {
  const { targetGroupARN: name = '', targetType, serviceRef, iamRoleArnToAssume: role = '' } = spec ?? {};
  const inOtherAccount = role !== '';
  if (targetType === 'instance' || serviceRef?.name === undefined || (name === '' && !inOtherAccount)) return [];
  return [{ service: `${metadata?.namespace ?? ''}/${serviceRef.name}`, name, by: nameOf(metadata), inOtherAccount }];
}

function nameOf({ namespace = '', name = '' }: TargetGroupBinding['metadata'] = {}): string {
  return `TargetGroupBinding ${namespace}/${name}`;
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
    const [theirs, ours] = [
      own.filter(({ inOtherAccount }) => inOtherAccount),
      own.filter((one) => !one.inOtherAccount),
    ];
    const names = [...new Set(ours.map(({ name }) => name))].toSorted();
    const inOtherAccounts = theirs.map(({ by }) => by).toSorted();
    return {
      ...service,
      podGroups: {
        names,
        ...(inOtherAccounts.length > 0 && { inOtherAccounts }),
        zones: [],
        zonesNeedCandidate: false,
      },
    };
  });
}

/** The Service on whose port of each node a target group sends; none for a binding of pods. */
export function nodeBindingOf({ metadata, spec }: TargetGroupBinding): readonly NodeBinding[] {
  const { namespace = '', labels = {} } = metadata ?? {};
  if (spec?.targetType !== 'instance' || spec.serviceRef?.name === undefined) return [];
  const service = `${namespace}/${spec.serviceRef.name}`;
  const isOwn = `${labels[stackNamespaceLabel]}/${labels[stackNameLabel]}` === service;
  return [{ service, by: nameOf(metadata), groups: [], isOwn }];
}

/**
 * The Services with the bindings of nodes to them, which nobody observes: those of an Ingress or a Gateway, and those that somebody made. Their Services
 * are of type NodePort or LoadBalancer (aws-load-balancer-controller, docs/guide/ingress/annotations.md, target-type). The own load balancer of a Service
 * of type LoadBalancer has such a binding too, and is observed by its address.
 */
export function withNodeBindings(
  services: readonly ServiceFacts[],
  bindings: readonly NodeBinding[],
): readonly ServiceFacts[] {
  const groupsFor = ({ type }: ServiceFacts) => (type === 'ClusterIP' ? undefined : []);
  const balanced = new Set(services.filter(({ type }) => type === 'LoadBalancer').map(({ key }) => key));
  const others = bindings.filter(({ service, isOwn }) => !isOwn || !balanced.has(service));
  return withNodeBackends(services, others, { groupsFor, hint });
}

const hint =
  'Have its pods as targets instead of nodes: target type `ip` of its Ingress, Gateway or TargetGroupBinding.';
