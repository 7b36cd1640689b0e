import { identify, type PodIdentity } from '../drain/actions.ts';
import { servicesOf } from '../drain/services-of-pod.ts';
import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts, ReleasedFacts, ReleasedFrom } from '../model/pod.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { UnplacedPods } from '../model/unplaced.ts';
import { compareText, count, listNames } from '../text/format.ts';
import { isEnabled } from '../waits/formulas.ts';
import { findLateNodes, notePending } from '../waits/replacements.ts';
import { chooseReleases } from './choose-releases.ts';
import { isServing, ownedPods } from './owned-pods.ts';
import type { HandOverContext } from './rules/rule.ts';
import { countNeeded } from './served-before.ts';
import { countReleased, workloadOf } from './surplus.ts';

/** Everything that decides the next acts of handing over the pods of some nodes. */
export interface HandOverQuestion extends Omit<HandOverContext, 'cluster'> {
  readonly facts: ServingFacts;
  readonly run: string;
  /** Nodes whose pods are handed over together. */
  readonly wave: readonly NodeRef[];
  /** Workloads whose replacements did not come up in time: their pods are evicted within their budgets instead. */
  readonly givenUp: readonly string[];
  /** Name of the pool whose nodes go. */
  readonly leaving: string;
  /** Pods that had no node when the run was planned: they are not waited for. */
  readonly unplaced: UnplacedPods;
}

/** What to do now, and who is waited for. */
export interface HandOverRound {
  readonly release: readonly { readonly pod: PodIdentity; readonly from: ReleasedFrom }[];
  /** Workloads whose replacements don't serve yet, each with what is seen of them. */
  readonly awaited: readonly { readonly workload: string; readonly reason: string }[];
  /** Every pod that can be handed over has been, and its replacement serves. */
  readonly done: boolean;
  /** One sentence for status. */
  readonly reason: string;
}

/**
 * Decides one round: releases what may be released, as far as the surplus of its workload goes, and waits until every ReplicaSet that has
 * lost pods has as many that serve as before, where load balancers look at nodes also there.
 */
export function decideHandOverRound(question: HandOverQuestion): HandOverRound {
  const { facts, run, wave } = question;
  const candidates = wave.flatMap(({ name }) => indexOf(facts.cluster).podsOn(name));
  const isAsked = (pod: PodFacts) => !question.givenUp.includes(workloadOf(pod, facts.cluster)?.key ?? '');
  const { release, later } = chooseReleases(
    candidates.filter(isAsked),
    { ...question, cluster: facts.cluster },
    countReleased(facts.cluster),
  );
  const mine = facts.cluster.pods.filter(
    (pod): pod is ReleasedPod => pod.released?.by === run && !pod.terminating && pod.unlisted === undefined,
  );
  const byWorkload = Map.groupBy(mine, ({ released }) => released.workload);
  const awaited = [...byWorkload].flatMap(([workload, pods]) => {
    const isWaitedFor = isEnabled(question.policy, 'wait-for-replacements') && !question.givenUp.includes(workload);
    const reason = isWaitedFor ? findLate(pods, question) : undefined;
    return reason === undefined ? [] : [{ workload, reason }];
  });
  const all = [...awaited, ...later].toSorted((a, b) => compareText(a.workload, b.workload));
  const done = release.length === 0 && all.length === 0;
  return {
    release: release.map(({ pod, from }) => ({ pod: identify(pod), from })),
    awaited: all,
    done,
    reason: explain(mine.length, release.length, all),
  };
}

type ReleasedPod = PodFacts & { readonly released: ReleasedFacts };

/** What is missing of the replacements of one workload's pods; undefined when nothing is. */
function findLate(pods: readonly ReleasedPod[], { facts, leaving, unplaced }: HandOverQuestion): string | undefined {
  const { cluster } = facts;
  for (const group of Map.groupBy(pods, ({ released }) => released.replicaSet.name).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const needs = countNeeded(group, unplaced);
    const owned = ownedPods(first.released, first.namespace, cluster);
    const ready = owned.filter(isServing).length;
    if (ready < needs) return `${ready} of ${needs} pods ready${notePending(owned)}`;
  }
  const services = [...new Set(pods.flatMap((pod) => servicesOf(pod, cluster)))];
  for (const service of services) {
    const late = findLateNodes(service, facts, leaving);
    if (late.length > 0) return `${listNames(late)} not healthy in the load balancers of ${service.key} yet`;
  }
  return undefined;
}

function explain(released: number, now: number, awaited: HandOverRound['awaited']): string {
  const [first] = awaited;
  const so = `${count(released + now, 'pod')} released`;
  return first === undefined ? so : `${so}; ${first.workload}: ${first.reason}`;
}
