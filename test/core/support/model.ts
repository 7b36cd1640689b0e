/** The facts and the policy that tests of all rooms of core speak of, in one place. */
export type { NodeFacts, NodeRef } from '../../../core/model/node.ts';
export type { PodFacts } from '../../../core/model/pod.ts';
export type { ServiceFacts } from '../../../core/model/service.ts';
export type { ClusterFacts, ServingFacts } from '../../../core/model/serving.ts';
export type { TargetGroupFacts, TargetState } from '../../../core/model/target-group.ts';
export type { WorkloadFacts } from '../../../core/model/workload.ts';
export type { Policy } from '../../../core/policy/policy.ts';
