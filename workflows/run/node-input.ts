import type { Exclusion } from '../../activities/exclusion.ts';
import type { ServiceBaseline } from '../../core/guard/baseline.ts';
import type { PoolRef } from '../../core/model/pool.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { NodeReplacementInput } from '../messages.ts';

/** What the run knows when a node has stepped out. */
export interface StartQuestion {
  readonly run: string;
  readonly parent: string;
  readonly pool: PoolRef;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
  readonly round: number;
  readonly resumes: number;
  readonly now: number;
}

/** What a node's workflow is started with: of all Services only those that the node has to do with. */
export function nodeInput({ now, baselines, ...known }: StartQuestion, out: Exclusion): NodeReplacementInput {
  const { node, evidence, before, aside, services } = out;
  const touched = services === undefined ? undefined : new Set(services);
  return {
    ...known,
    node,
    baselines: touched === undefined ? baselines : baselines.filter(({ service }) => touched.has(service)),
    excludedAt: evidence.at(-1)?.at ?? now,
    before,
    ...(aside === undefined ? {} : { aside }),
    evidence,
  };
}
