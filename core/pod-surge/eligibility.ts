import { indexOf, onceFor } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import { type PodFacts, type ReleasedFrom, templateLabel } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Slices } from '../slices.ts';
import { admission } from './rules/admission.ts';
import { adoption } from './rules/adoption.ts';
import { affinity } from './rules/affinity.ts';
import { autoscaler } from './rules/autoscaler.ts';
import { owner } from './rules/owner.ts';
import { policyAllows } from './rules/policy.ts';
import { quota } from './rules/quota.ts';
import { readiness } from './rules/readiness.ts';
import { rollout } from './rules/rollout.ts';
import type { PodSurgeContext, PodSurgeRefusal, PodSurgeRule } from './rules/rule.ts';
import { hosts, spread } from './rules/spread.ts';
import { strategy } from './rules/strategy.ts';
import { label } from './rules/template-label.ts';
import { topology } from './rules/topology.ts';
import { volumes } from './rules/volumes.ts';

/** The rules in the order of their evaluation. The first refusal is reported. */
const podSurgeRules: readonly PodSurgeRule[] = [
  owner,
  policyAllows,
  strategy,
  label,
  volumes,
  topology,
  quota,
  spread,
  adoption,
  hosts,
  autoscaler,
  admission,
  rollout,
  readiness,
];

/** Whether the replacement of a pod may start before the pod leaves: what to release it from, or why not. */
type Eligibility =
  | { readonly eligible: true; readonly from: ReleasedFrom }
  | ({ readonly eligible: false } & PodSurgeRefusal);

/** Results for one observation and one context, because a plan asks about each pod several times. */
const answersOf = onceFor(
  (_cluster: ClusterFacts): { context?: PodSurgeContext; byPod: WeakMap<PodFacts, Eligibility> } => ({
    byPod: new WeakMap(),
  }),
);

/** Decides whether a pod on a leaving node may be released, so that its replacement serves before it leaves. */
export function decideEligibility(pod: PodFacts, context: PodSurgeContext): Eligibility {
  const answers = answersOf(context.cluster);
  if (answers.context === undefined || !isSameContext(answers.context, context)) {
    answers.context = context;
    answers.byPod = new WeakMap();
  }
  const known = answers.byPod.get(pod);
  if (known !== undefined) return known;
  const made = applyRules(pod, context);
  answers.byPod.set(pod, made);
  return made;
}

function findRefusal(pod: PodFacts, context: PodSurgeContext): PodSurgeRefusal | undefined {
  for (const rule of podSurgeRules) {
    const refusal = rule(pod, context);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** The number of nodes whose pods are decided in one slice: a few thousand of fifty thousand pods. */
const nodesAtOnce = 50;

/** Decides about all pods on these nodes in slices, so that the results are ready when they are needed. */
export function* decideEligibilityInSlices(nodes: readonly NodeRef[], context: PodSurgeContext): Slices<void> {
  const index = indexOf(context.cluster);
  for (const [place, { name }] of nodes.entries()) {
    for (const pod of index.podsOn(name)) decideEligibility(pod, context);
    if (place % nodesAtOnce === nodesAtOnce - 1) yield;
  }
}

function isSameContext(one: PodSurgeContext, other: PodSurgeContext): boolean {
  return (
    one.policy === other.policy && one.sharedVolumeClaims === other.sharedVolumeClaims && one.denials === other.denials
  );
}

function applyRules(pod: PodFacts, context: PodSurgeContext): Eligibility {
  const refusal =
    findRefusal(pod, context) ?? affinity(pod, context, (other) => findRefusal(other, context) === undefined);
  if (refusal !== undefined) return { eligible: false, ...refusal };
  const { ownerName: name, ownerUid: uid = '', workload = '', labels } = pod;
  return {
    eligible: true,
    from: { label: templateLabel, value: labels[templateLabel] ?? '', replicaSet: { name, uid }, workload },
  };
}
