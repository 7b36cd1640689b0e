import type { Exclusion } from '../../activities/exclusion.ts';
import type { UnreadyBefore } from '../../core/eviction/unready-before.ts';
import type { ServiceBaseline } from '../../core/guard/baseline.ts';
import type { PoolRef } from '../../core/model/pool.ts';
import type { Direction } from '../../core/policy/members.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { NodeReplacementInput } from '../messages.ts';

/** What the run knows when a node has been excluded. */
interface StartQuestion {
  readonly run: string;
  readonly parent: string;
  readonly pool: PoolRef;
  readonly direction: Direction;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
  readonly unreadyBefore?: UnreadyBefore;
  readonly round: number;
  readonly resumes: number;
  readonly now: number;
}

/** The input of a node's workflow. Of the baselines it has only those of Services that the node affects. */
export function nodeInput({ now, baselines, ...known }: StartQuestion, exclusion: Exclusion): NodeReplacementInput {
  const { node, evidence, before, aside, services } = exclusion;
  const affected = services === undefined ? undefined : new Set(services);
  return {
    ...known,
    node,
    baselines: affected === undefined ? baselines : baselines.filter(({ service }) => affected.has(service)),
    excludedAt: evidence.at(-1)?.at ?? now,
    before,
    ...(aside === undefined ? {} : { aside }),
    evidence,
  };
}
