import { type BlockedPod, type PodAction, tellHeld } from '../drain/actions.ts';
import { openDisruptionLedger } from '../drain/disruptions.ts';
import { decideStep, type StepQuestion } from '../drain/eviction-round.ts';
import { hangs } from '../drain/hanging.ts';
import { isReadyEndpoint, servicesOf } from '../drain/services-of-pod.ts';
import { indexOf } from '../model/cluster-index.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { compareText, count } from '../text/format.ts';
import { decideGiveBack } from './give-back.ts';
import { isServing } from './owned-pods.ts';

/** What to do now with released pods that nobody takes back, what can't be done yet, and how much is left. */
export interface ReleasedEviction {
  readonly actions: readonly PodAction[];
  readonly blocked: readonly BlockedPod[];
  /** Pods that can leave and have not left yet, terminating ones included. */
  readonly remaining: number;
  /** One sentence for status. */
  readonly reason: string;
}

/**
 * Decides one round of evicting the released pods that their workload does not need any more: it has rolled out since, or a replacement was
 * Ready before they could be given back. Their nodes stay in the load balancers: a pod leaves one only where another serves the same callers.
 * Pods that none of that holds for serve on.
 */
export function decideReleasedEviction(question: StepQuestion & { readonly run: string }): ReleasedEviction {
  const { facts, run, now } = question;
  const ledger = openDisruptionLedger(facts, now);
  const unwanted = new Set(decideGiveBack(facts, run).stays.map(({ pod }) => pod.uid));
  const leaving = new Set(facts.pods.filter((pod) => isLeaving(pod, run)).map(({ uid }) => uid));
  const actions: PodAction[] = [];
  const blocked: BlockedPod[] = [];
  for (const pod of facts.pods.toSorted((a, b) => compareText(a.name, b.name))) {
    const isUnwanted = unwanted.has(pod.uid) && isSpared(pod, leaving, facts);
    if (!isUnwanted && !(leaving.has(pod.uid) && !pod.terminating)) continue;
    leaving.add(pod.uid);
    const short = tellShort(pod, facts);
    if (short !== undefined) blocked.push(tellHeld(pod, short));
    if (short !== undefined) continue;
    const step = decideStep(pod, question, ledger);
    if (step.action !== undefined) actions.push(step.action);
    if (step.blocked !== undefined) blocked.push(step.blocked);
  }
  const remaining = facts.pods.filter((pod) => leaving.has(pod.uid) && !hangs(pod, now)).length;
  const [first] = blocked;
  const why = first === undefined ? '' : `; ${first.pod.namespace}/${first.pod.name}: ${first.reason}`;
  return {
    actions,
    blocked,
    remaining,
    reason: `${count(remaining, 'released pod')} that no ReplicaSet takes back${why}`,
  };
}

/** It was taken out of its endpoints, or told to stop, already. */
function isLeaving({ released, unlisted, terminating }: PodFacts, run: string): boolean {
  return released?.by === run && (terminating || unlisted?.by === run);
}

/** Wherever a load balancer looks for endpoints on the pod's node, it finds another. */
function isSpared(pod: PodFacts, leaving: ReadonlySet<string>, facts: ClusterFacts): boolean {
  const others = indexOf(facts)
    .podsOn(pod.node ?? '')
    .filter(({ uid }) => uid !== pod.uid && !leaving.has(uid));
  return servicesOf(pod, facts)
    .filter(({ externalTrafficPolicy }) => externalTrafficPolicy === 'Local')
    .every((service) => others.some((other) => isReadyEndpoint(other, service)));
}

/** The pods that its workload keeps don't serve all of what it wants yet. */
function tellShort({ released }: PodFacts, facts: ClusterFacts): string | undefined {
  const index = indexOf(facts);
  const workload = index.workload(released?.workload ?? '');
  if (workload === undefined) return undefined;
  const serving = index
    .podsOfWorkload(workload.key)
    .filter((pod) => isServing(pod) && !pod.terminating && pod.released === undefined);
  if (serving.length >= workload.replicas) return undefined;
  return `${workload.key} has ${serving.length} of ${workload.replicas} pods ready without it`;
}
