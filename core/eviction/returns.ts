import { ownerOf, type PodFacts } from '../model/pod.ts';
import { isNodeBound } from './node-bound.ts';
import { toleratesCordon } from './tolerates-cordon.ts';

/**
 * How often pods that tolerate a cordon have come to a node since it began to be emptied, by owner, and which are there (UIDs). Plain
 * data.
 */
export type Returns = Readonly<Record<string, { readonly times: number; readonly uids: readonly string[] }>>;

/** Pods that came this often are left alone: each further eviction would achieve nothing. */
const maxReturns = 3;

/** Continues the count from the previous observation; the first one counts nothing. */
export function trackReturns(known: Returns | undefined, pods: readonly PodFacts[]): Returns {
  const here = Map.groupBy(
    pods.filter((pod) => !isNodeBound(pod) && toleratesCordon(pod)),
    ownerOf,
  );
  const owners = new Set([...Object.keys(known ?? {}), ...here.keys()]);
  return Object.fromEntries(
    [...owners].map((owner) => {
      const { times, uids: before } = known?.[owner] ?? { times: 0, uids: [] };
      const uids = (here.get(owner) ?? []).map(({ uid }) => uid);
      const come = known === undefined ? 0 : uids.filter((uid) => !before.includes(uid)).length;
      return [owner, { times: times + come, uids }];
    }),
  );
}

/** How often pods of its owner came, where another eviction would not help any more; else undefined. */
export function findReturns(pod: PodFacts, returns: Returns = {}): number | undefined {
  if (!toleratesCordon(pod)) return undefined;
  const { times = 0 } = returns[ownerOf(pod)] ?? {};
  return times < maxReturns ? undefined : times;
}
