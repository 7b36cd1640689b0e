import { explainDeniedRemoval } from '../core/eviction/actions.ts';
import { removalTrialsOn } from '../core/eviction/removal-trials.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PodRef } from '../core/model/pod.ts';
import type { ClusterFacts, Untried } from '../core/model/serving.ts';
import type { Policy } from '../core/policy/policy.ts';
import { severalAtATime } from './several-at-a-time.ts';

/** A dry run that was not allowed. */
export interface NotTried {
  readonly untried: Untried;
}

/** Tries something: why it is denied, undefined where it is not, or that nobody knows. */
export type Answer = string | NotTried | undefined;

/** Asks whether labels may be removed from a pod. */
export type TryRemoval = (pod: PodRef, removeLabels: readonly string[]) => Promise<Answer>;

/**
 * The observation with what admission says against removing pods on these nodes from endpoints: one dry run for each ReplicaSet, because its pods
 * are made from one template. Changes nothing.
 */
export async function tryRemovals(
  { tryRemoveEndpoints }: { readonly tryRemoveEndpoints: TryRemoval },
  nodes: readonly Pick<NodeRef, 'name'>[],
  { facts, policy }: { readonly facts: ClusterFacts; readonly policy: Policy },
): Promise<ClusterFacts> {
  const denied: Record<string, string> = {};
  const untried = await tryEach(
    removalTrialsOn(nodes, { facts, policy }),
    async ({ pod, removeLabels }) => await tryRemoveEndpoints(pod, removeLabels),
    ({ uids }, denial) => {
      for (const uid of uids) denied[uid] = explainDeniedRemoval(denial);
    },
  );
  const isDenied = Object.keys(denied).length > 0;
  if (!isDenied && untried === undefined) return facts;
  return { ...facts, ...(isDenied && { deniedRemovals: denied }), ...(untried && { untried }) };
}

/** Tries each of these, several at a time, and tells of each that is denied. Returns why nobody knows, where somebody may not try. */
export async function tryEach<T>(
  trials: readonly T[],
  attempt: (trial: T) => Promise<Answer>,
  onDenied: (trial: T, denial: string) => void,
): Promise<Untried | undefined> {
  let untried: Untried | undefined;
  await severalAtATime(trials, async (trial) => {
    const answer = await attempt(trial);
    if (typeof answer === 'object') ({ untried } = answer);
    else if (answer !== undefined) onDenied(trial, answer);
  });
  return untried;
}
