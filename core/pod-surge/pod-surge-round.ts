import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import { type PodFacts, type PodRef, podRefOf, type ReleasedFrom } from '../model/pod.ts';
import { isEnabled } from '../policy/rules.ts';
import { compareText, count } from '../text/format.ts';
import type { NodesAside } from '../waits/hosts.ts';
import type { AwaitedWorkload } from './late-workloads.ts';
import { explainOldVersions } from './old-version.ts';
import { observeReplacements, type ReleasedPod, type ReplacementsOfQuestion } from './replacements-of.ts';
import type { PodSurgeContext } from './rules/rule.ts';
import { selectReleases } from './select-releases.ts';
import { noteServed } from './served-before.ts';
import { countReleased, workloadOf } from './surge-limit.ts';

/** Everything that decides the next actions of the pod surge for some nodes. */
export interface PodSurgeQuestion extends Omit<PodSurgeContext, 'cluster'>, Omit<ReplacementsOfQuestion, 'policy'> {
  readonly run: string;
  /** Nodes whose pods are surged together. */
  readonly batch: readonly NodeRef[];
  /** Workloads whose replacements did not serve in time. Their pods are evicted within their budgets instead. */
  readonly evictedInstead: readonly string[];
}

/** What to do now, and what the run waits for. */
export interface PodSurgeRound {
  readonly release: readonly { readonly pod: PodRef; readonly from: ReleasedFrom }[];
  /** Workloads whose replacements do not serve yet, each with what was observed. */
  readonly awaited: readonly AwaitedWorkload[];
  /** Nodes that host replacements or other pods of their Services, and that are set aside. */
  readonly aside: NodesAside;
  /** Every pod that can be surged is released, and its replacement serves. */
  readonly done: boolean;
  /** One sentence for status. */
  readonly reason: string;
}

/**
 * Decides one round. It releases as many pods of each workload as the limit of its surge allows. Then it waits until every ReplicaSet that has
 * lost pods has as many serving ones as before, and their nodes are healthy in the load balancers where that matters.
 */
export function decidePodSurgeRound(question: PodSurgeQuestion): PodSurgeRound {
  const { facts, run, batch } = question;
  const candidates = batch.flatMap(({ name }) => indexOf(facts.cluster).podsOn(name));
  const isSurged = (pod: PodFacts) => !question.evictedInstead.includes(workloadOf(pod, facts.cluster)?.key ?? '');
  const { release, later } = selectReleases(
    candidates.filter(isSurged),
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
    const observed = observeReplacements(pods, question);
    Object.assign(aside, observed.aside);
    return observed.late === undefined ? [] : [{ workload, ...observed.late }];
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
