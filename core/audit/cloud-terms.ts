import type { TargetGroupFacts } from '../model/target-group.ts';
import type { Fix } from './fix.ts';

/** What a finding or a fix names at a certain cloud. The adapter of its load balancers knows; the rules do not. */
export interface CloudTerms {
  /** Annotations of a Service by what they set. Absent where the controller sets all of that by itself. */
  readonly annotations?: ServiceAnnotations;
  /** Names of the attributes of target groups in that annotation, by what they set. Absent where there is no such annotation. */
  readonly attributes?: Readonly<Record<GroupAttribute, string>>;
  /** How to set attributes of a target group that does not take them from an annotation of its Service. Undefined where nothing sets one of them. */
  readonly setAttributes: (group: TargetGroupFacts, wanted: WantedAttributes) => Fix | undefined;
  /** The load balancer of a Service with a UDP port drains nothing, whatever is set. Absent where it does. */
  readonly drainsNoDatagrams?: true;
  /** What sets for how long, in seconds, a load balancer lets the connections of a node end that it has deregistered. It ends a sentence. */
  readonly drainTime: string;
  /** How the condition types of the readiness gates of pods that are targets begin, for each of its controllers. Absent where there are none. */
  readonly readinessGates?: readonly string[];
  /** Labels (`key=value`) of a namespace in which new pods get readiness gates, one for each controller. Absent where they get them anyway. */
  readonly readinessGateLabels?: readonly string[];
  /** The webhook that adds readiness gates to new pods, and what sets that pods are not created without it. Absent where it is not part of the cluster. */
  readonly readinessGateWebhook?: { readonly name: string; readonly setting: string };
  /** Reason with which a readiness gate opens though the load balancer has not found the pod healthy. Absent where that does not happen. */
  readonly gateTimeout?: string;
  /** Labels of the pods that register and deregister nodes, where they run in the cluster. */
  readonly controllers: readonly { readonly label: string; readonly value: string }[];
}

/** Keys of the annotations of a Service. */
interface ServiceAnnotations {
  readonly healthCheckPort: string;
  readonly healthCheckProtocol: string;
  /** In seconds. */
  readonly healthCheckInterval: string;
  readonly unhealthyThreshold: string;
  /** All attributes of the target groups in one text, `key=value,key=value`. Not every controller takes them from it. */
  readonly attributes: string;
  /** Whether a load balancer that is not made of target groups lets the connections of a node end. */
  readonly letsConnectionsEnd: string;
  /** For how long, in seconds. */
  readonly connectionEndSeconds: string;
  /** Labels of the nodes that may be targets. */
  readonly targetNodeLabels: string;
}

/**
 * What an attribute of a target group sets. `crossZone`: whether it sends to all zones. `drainSeconds`: how long connections may last after a
 * deregistration. `endsDrained`: whether what is left is closed then. `endsUnhealthy`: whether connections of an unhealthy target are closed.
 * `unhealthyDrainSeconds`: how long they may last otherwise. `sticky`: whether a client stays at its target.
 */
export type GroupAttribute =
  | 'crossZone'
  | 'drainSeconds'
  | 'endsDrained'
  | 'endsUnhealthy'
  | 'unhealthyDrainSeconds'
  | 'sticky';

/** Attributes with the values that they should have. */
export type WantedAttributes = Readonly<Partial<Record<GroupAttribute, string | number | boolean>>>;
