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

/** The rules in the order in which they are asked; the first that answers is told. */
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

/** Whether a pod's replacement may start beside it: what to release it from, or why not. */
export type Eligibility =
  | { readonly eligible: true; readonly from: ReleasedFrom }
  | ({ readonly eligible: false } & PodSurgeRefusal);

/** Answers of one look, as long as the same is asked: a plan asks of each pod several times. */
const answersOf = onceFor(
  (_cluster: ClusterFacts): { context?: PodSurgeContext; byPod: WeakMap<PodFacts, Eligibility> } => ({
    byPod: new WeakMap(),
  }),
);

/** Decides whether a pod on a node that goes may be released, so that its replacement serves before it leaves. */
export function decideEligibility(pod: PodFacts, context: PodSurgeContext): Eligibility {
  const answers = answersOf(context.cluster);
  if (answers.context === undefined || !asksTheSame(answers.context, context)) {
    answers.context = context;
    answers.byPod = new WeakMap();
  }
  const known = answers.byPod.get(pod);
  if (known !== undefined) return known;
  const made = askRules(pod, context);
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

/** So many nodes' pods are decided about in one slice: of fifty thousand pods a few thousand. */
const nodesAtOnce = 50;

/** Decides about all pods on these nodes in slices, so that whoever asks about them afterwards finds that done. */
export function* decideEligibilityInSlices(nodes: readonly NodeRef[], context: PodSurgeContext): Slices<void> {
  const index = indexOf(context.cluster);
  for (const [place, { name }] of nodes.entries()) {
    for (const pod of index.podsOn(name)) decideEligibility(pod, context);
    if (place % nodesAtOnce === nodesAtOnce - 1) yield;
  }
}

function asksTheSame(one: PodSurgeContext, other: PodSurgeContext): boolean {
  return (
    one.policy === other.policy && one.sharedVolumeClaims === other.sharedVolumeClaims && one.denials === other.denials
  );
}

function askRules(pod: PodFacts, context: PodSurgeContext): Eligibility {
  const refusal =
    findRefusal(pod, context) ?? affinity(pod, context, (other) => findRefusal(other, context) === undefined);
  if (refusal !== undefined) return { eligible: false, ...refusal };
  const { ownerName: name, ownerUid: uid = '', workload = '', labels } = pod;
  return {
    eligible: true,
    from: { label: templateLabel, value: labels[templateLabel] ?? '', replicaSet: { name, uid }, workload },
  };
}
