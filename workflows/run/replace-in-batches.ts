import type { NodeRef } from '../../core/model/node.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { idleOf, leftOf } from '../../core/run/nodes.ts';
import { isStalled } from '../../core/run/stalled.ts';
import type { PoolPhase } from '../../core/steps/pool-phases.ts';
import { replaceNodes, replaceOthers } from './replace-nodes.ts';
import { apply, type Run, setPhase } from './run.ts';

/** How the nodes of a run leave in batches. */
interface Batches {
  /** The phase in which they leave. */
  readonly phase: PoolPhase;
  /** Makes ready for the next of these nodes, and returns those that may leave together; undefined when it has to be asked anew. */
  readonly prepare: (idle: readonly NodeRef[]) => Promise<readonly NodeRef[] | undefined>;
}

/**
 * Has nodes leave batch after batch, each made ready for first. When the guard blocked nodes until the run stalled and was resumed, their batch is made
 * ready again: the cause may be fixed. Stalled nodes that do not stop others are waited for last.
 */
export async function replaceInBatches(
  run: Run,
  plan: PoolPlan,
  nodes: readonly NodeRef[],
  { phase, prepare }: Batches,
): Promise<void> {
  apply(run, { type: 'trackNodes', nodes });
  for (let left = nodes; left.length > 0; left = leftOf(run.state, left)) {
    const idle = idleOf(run.state, left).filter((node) => !isStalled(run.state, node));
    if (idle.length === 0) {
      await replaceNodes(run, plan, left, 'forward');
      continue;
    }
    const batch = await prepare(idle);
    if (batch === undefined) continue;
    if (run.state.status.phase !== phase) setPhase(run, phase);
    await replaceOthers(run, plan, batch);
    const isRetried = idleOf(run.state, leftOf(run.state, batch)).length > 0;
    if (isRetried) apply(run, { type: 'setEvictedInstead', workloads: [] });
  }
}
