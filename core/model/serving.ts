import type { AdopterFacts } from './adopter.ts';
import type { AutoscalerFacts } from './autoscaler.ts';
import type { NetworkPolicyFacts } from './network-policy.ts';
import type { NodeFacts } from './node.ts';
import type { DisruptionBudgetFacts, PodFacts } from './pod.ts';
import type { LimitRangeFacts, QuotaFacts } from './quota.ts';
import type { ServiceFacts } from './service.ts';
import type { LocalVolumeFacts, ResizerFacts, WebhookFacts } from './surroundings.ts';
import type { TargetGroupFacts } from './target-group.ts';
import type { UnreadFacts } from './unread.ts';
import type { UnsupportedServiceFacts } from './unsupported-service.ts';
import type { VolumeAttachmentFacts } from './volume.ts';
import type { WorkloadFacts } from './workload.ts';

/** One consistent look at the cluster, from watch-backed caches. */
export interface ClusterFacts {
  readonly nodes: readonly NodeFacts[];
  readonly pods: readonly PodFacts[];
  readonly budgets: readonly DisruptionBudgetFacts[];
  readonly services: readonly ServiceFacts[];
  readonly workloads: readonly WorkloadFacts[];
  readonly volumeAttachments: readonly VolumeAttachmentFacts[];
  /** Policies for the traffic of pods, as of a minute ago at most; absent where nobody has asked. */
  readonly networkPolicies?: readonly NetworkPolicyFacts[];
  /** Controllers of other kinds that take pods which nobody owns, as of then; absent where nobody has asked. */
  readonly adopters?: readonly AdopterFacts[];
  /** Autoscalers that a hand-over upsets, as of then; absent where nobody has asked. */
  readonly autoscalers?: readonly AutoscalerFacts[];
  /** Quotas of what pods take, as of then; absent where nobody has asked. */
  readonly quotas?: readonly QuotaFacts[];
  /** What each pod may take, as of then; absent where nobody has asked. */
  readonly limitRanges?: readonly LimitRangeFacts[];
  /** Volumes that are on one node, as of then; absent where nobody has asked. */
  readonly localVolumes?: readonly LocalVolumeFacts[];
  /** Autoscalers that give new pods other requests, as of then; absent where nobody has asked. */
  readonly resizers?: readonly ResizerFacts[];
  /** Webhooks without which no pod can be created, as of then; absent where nobody has asked. */
  readonly webhooks?: readonly WebhookFacts[];
  /** What of the cluster we may not read; absent where nobody has asked. */
  readonly unread?: readonly UnreadFacts[];
  /** Epoch ms at which the API server was last back after it could not be reached; absent when it always could. */
  readonly outageAt?: number;
}

/** Everything a decision about capacity needs: the cluster and the load balancers, looked at together. */
export interface ServingFacts {
  readonly cluster: ClusterFacts;
  readonly targetGroups: readonly TargetGroupFacts[];
  /** Services of the whole cluster behind load balancers that can't be watched, at most one entry each. */
  readonly unsupported: readonly UnsupportedServiceFacts[];
  /** Names of the pools that runs bring up which have not ended, this one or others; absent where nobody has asked. */
  readonly incomingPools?: readonly string[];
  /** When the look was taken, epoch ms. */
  readonly observedAt: number;
}
