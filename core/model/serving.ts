import type { AdopterFacts } from './adopter.ts';
import type { AutoscalerFacts } from './autoscaler.ts';
import type { NetworkPolicyFacts } from './network-policy.ts';
import type { NodeFacts } from './node.ts';
import type { DisruptionBudgetFacts, PodFacts } from './pod.ts';
import type { LimitRangeFacts, QuotaFacts } from './quota.ts';
import type { ServiceFacts } from './service.ts';
import type {
  ApiServiceFacts,
  LocalVolumeFacts,
  ManagedNodesFacts,
  ResizerFacts,
  WebhookFacts,
} from './surroundings.ts';
import type { TargetGroupFacts } from './target-group.ts';
import type { UnreadFacts } from './unread.ts';
import type { UnsupportedServiceFacts } from './unsupported-service.ts';
import type { VolumeAttachmentFacts } from './volume.ts';
import type { WorkloadFacts } from './workload.ts';

/** One consistent observation of the cluster, from caches that watches keep up to date. Fields "as of a minute ago" are polled instead. */
export interface ClusterFacts {
  readonly nodes: readonly NodeFacts[];
  readonly pods: readonly PodFacts[];
  readonly budgets: readonly DisruptionBudgetFacts[];
  readonly services: readonly ServiceFacts[];
  readonly workloads: readonly WorkloadFacts[];
  readonly volumeAttachments: readonly VolumeAttachmentFacts[];
  /** Network policies, as of a minute ago at most. Absent when they were not requested. */
  readonly networkPolicies?: readonly NetworkPolicyFacts[];
  /** Controllers of other kinds that adopt pods without owner, as of a minute ago at most. Absent when they were not requested. */
  readonly adopters?: readonly AdopterFacts[];
  /** Autoscalers that pod surge would disturb, as of a minute ago at most. Absent when they were not requested. */
  readonly autoscalers?: readonly AutoscalerFacts[];
  /** Keys of the workloads that an autoscaler scales, as of a minute ago at most. Absent when they were not requested. */
  readonly autoscaled?: readonly string[];
  /** Quotas that count pods or their resources, as of a minute ago at most. Absent when they were not requested. */
  readonly quotas?: readonly QuotaFacts[];
  /** Limit ranges, as of a minute ago at most. Absent when they were not requested. */
  readonly limitRanges?: readonly LimitRangeFacts[];
  /** Volumes that are bound to one node, as of a minute ago at most. Absent when they were not requested. */
  readonly localVolumes?: readonly LocalVolumeFacts[];
  /** Autoscalers that change the requests of new pods, as of a minute ago at most. Absent when they were not requested. */
  readonly resizers?: readonly ResizerFacts[];
  /** Parts of the API that pods of the cluster serve, as of a minute ago at most. Absent when they were not requested. */
  readonly apiServices?: readonly ApiServiceFacts[];
  /** Groups of nodes that a controller in the cluster adds and removes, as of a minute ago at most. Absent when they were not requested. */
  readonly managedNodes?: readonly ManagedNodesFacts[];
  /** Webhooks that are asked before a pod is created, as of a minute ago at most. Absent when they were not requested. */
  readonly webhooks?: readonly WebhookFacts[];
  /** Resources that the role of the worker may not read. Absent when they were not requested. */
  readonly unread?: readonly UnreadFacts[];
  /** Target groups whose targets are pods, as of a few seconds ago at most. Absent when they were not requested. */
  readonly podTargets?: readonly TargetGroupFacts[];
  /** Why labels can't be removed from pods, by pod UID, where admission denied that. Absent when it was not tried. */
  readonly deniedRemovals?: Readonly<Record<string, string>>;
  /** Why no dry run could tell which changes of pods admission denies. Absent when it was tried, and when there was nothing to try. */
  readonly untried?: Untried;
  /** When (epoch ms) the API server last became reachable again after an outage. Absent when it was always reachable. */
  readonly outageAt?: number;
}

/** What kept a dry run from telling anything: whoever asked may not make the change. */
export interface Untried {
  readonly message: string;
  /** The right that is missing. */
  readonly hint: string;
}

/** Everything that a decision about capacity needs: one observation of the cluster and the load balancers. */
export interface ServingFacts {
  readonly cluster: ClusterFacts;
  readonly targetGroups: readonly TargetGroupFacts[];
  /** Services in the whole cluster whose load balancers cannot be observed, at most one entry for each. */
  readonly unsupported: readonly UnsupportedServiceFacts[];
  /** Names of the new pools of all runs that have not ended. Absent when they were not requested. */
  readonly incomingPools?: readonly string[];
  /** Time of the observation, epoch ms. */
  readonly observedAt: number;
}
