import { type PodRef, podRefOf } from '../eviction/actions.ts';
import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts, ReleasedFrom } from '../model/pod.ts';
import { compareText, count } from '../text/format.ts';
import { isEnabled } from '../waits/formulas.ts';
import type { NodesAside } from '../waits/hosts.ts';
import type { AwaitedWorkload } from './late-workloads.ts';
import { explainOldVersions } from './old-version.ts';
import { observeReplacements, type ReleasedPod, type ReplacementsOfQuestion } from './replacements-of.ts';
import type { PodSurgeContext } from './rules/rule.ts';
import { selectReleases } from './select-releases.ts';
import { noteServed } from './served-before.ts';
import { countReleased, workloadOf } from './surge-limit.ts';

/** Everything that decides the next acts of handing over the pods of some nodes. */
export interface PodSurgeQuestion extends Omit<PodSurgeContext, 'cluster'>, Omit<ReplacementsOfQuestion, 'policy'> {
  readonly run: string;
  /** Nodes whose pods are handed over together. */
  readonly wave: readonly NodeRef[];
  /** Workloads whose replacements did not come up in time: their pods are evicted within their budgets instead. */
  readonly evictedInstead: readonly string[];
}

/** What to do now, and who is waited for. */
export interface PodSurgeRound {
  readonly release: readonly { readonly pod: PodRef; readonly from: ReleasedFrom }[];
  /** Workloads whose replacements don't serve yet, each with what is seen of them. */
  readonly awaited: readonly AwaitedWorkload[];
  /** Nodes that host replacements, or pods beside them, and are not waited for. */
  readonly aside: NodesAside;
  /** Every pod that can be handed over has been, and its replacement serves. */
  readonly done: boolean;
  /** One sentence for status. */
  readonly reason: string;
}

/**
 * Decides one round: releases what may be released, as far as the surplus of its workload goes, and waits until every ReplicaSet that has
 * lost pods has as many that serve as before, where load balancers look at nodes also there.
 */
export function decidePodSurgeRound(question: PodSurgeQuestion): PodSurgeRound {
  const { facts, run, wave } = question;
  const candidates = wave.flatMap(({ name }) => indexOf(facts.cluster).podsOn(name));
  const isAsked = (pod: PodFacts) => !question.evictedInstead.includes(workloadOf(pod, facts.cluster)?.key ?? '');
  const { release, later } = selectReleases(
    candidates.filter(isAsked),
    { ...question, cluster: facts.cluster },
    countReleased(facts.cluster),
    facts.observedAt,
  );
  const mine = facts.cluster.pods.filter(
    (pod): pod is ReleasedPod => pod.released?.by === run && !pod.terminating && pod.endpointsRemoved === undefined,
  );
  const byWorkload = Map.groupBy(mine, ({ released }) => released.workload);
  const aside: Record<string, string> = {};
  const awaited = [...byWorkload].flatMap(([workload, pods]) => {
    const isWaitedFor =
      isEnabled(question.policy, 'wait-for-replacements') && !question.evictedInstead.includes(workload);
    if (!isWaitedFor) return [];
    const seen = observeReplacements(pods, question);
    Object.assign(aside, seen.aside);
    return seen.late === undefined ? [] : [{ workload, ...seen.late }];
  });
  const all = [...awaited, ...later.map((one) => ({ ...one, kind: 'later' as const }))].toSorted((a, b) =>
    compareText(a.workload, b.workload),
  );
  const done = release.length === 0 && all.length === 0;
  return {
    release: noteServed(release, facts.cluster).map(({ pod, from }) => ({ pod: podRefOf(pod), from })),
    awaited: all,
    aside,
    done,
    reason: [explain(mine.length, release.length, all), explainOldVersions(facts.cluster, run) ?? []].flat().join('; '),
  };
}

function explain(released: number, now: number, awaited: PodSurgeRound['awaited']): string {
  const [first] = awaited;
  const so = `${count(released + now, 'pod')} released`;
  return first === undefined ? so : `${so}; ${first.workload}: ${first.reason}`;
}
