/** Whether the history of a run has room for a rollback. */
import type { RunState } from './state.ts';

/** What a run has written to Temporal. */
interface HistorySize {
  readonly events: number;
  readonly bytes: number;
}

/**
 * The most that a run may have at the end of a rollback. Temporal ends a workflow with 51,200 events or 50 MB of history, and a worker that takes
 * over must replay the events within the 10 s of a workflow task; see core/plan/limits.ts.
 */
const most: HistorySize = { events: 12_000, bytes: 45_000_000 };

/** Before so many nodes were excluded, most of the history is about the run as a whole. */
const fewestNodes = 10;

/**
 * Why a rollback of the run could not be completed; undefined when it can. Each new node leaves by the same steps as an old one, so it takes as much
 * history as a node has taken so far. An abort always has room, because a new node stays for each old one that was replaced (INF-014).
 */
export function whyTooLarge({ plan, rounds, status }: RunState, size: HistorySize): string | undefined {
  const excluded = Object.values(rounds).reduce((sum, count) => sum + count, 0);
  const gone = status.nodes.filter(({ step }) => step === 'replaced').length;
  if (plan === undefined || gone === 0) return undefined;
  const projected = (taken: number) => taken * (1 + plan.surge / Math.max(fewestNodes, excluded));
  if (projected(size.events) <= most.events && projected(size.bytes) <= most.bytes) return undefined;
  return `the run would take more history than Temporal keeps: ${plan.surge} new nodes would have to leave. Abort it instead, and upgrade to a pool of the version before`;
}
