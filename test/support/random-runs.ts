/** What tests share that draw from a seed what happens to a run. */
import type { Policy } from '../../core/policy/policy.ts';
import type { RunStatus } from '../../core/status/status.ts';
import { statusQuery } from '../../workflows/messages.ts';
import type { Harness } from './temporal-harness.ts';

/** A run that was started by a harness. */
export type StartedRun = Awaited<ReturnType<Harness['start']>>;

/** Seeds to play, `first-last`; others than the usual few with NODEFERRY_TEST_SEEDS. */
export function seedsToPlay(usual: string): readonly number[] {
  const [first = 0, last = 0] = (process.env['NODEFERRY_TEST_SEEDS'] ?? usual).split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** What a policy says more in every second world: pods are handed over, in every fourth all at a time. */
export function handOverOf(seed: number): Pick<Policy, 'handOver'> {
  if (seed % 2 === 1) return {};
  return { handOver: { mode: 'auto', surplus: seed % 4 === 0 ? 1 : 'maxSurge', workloads: {} } };
}

/** Has every call of the run for an operator answered, a pause too, until the run is over. */
export async function answerCalls(
  run: StartedRun,
  isOver: () => boolean,
  answer: () => Promise<unknown>,
): Promise<void> {
  while (!isOver()) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    const status: RunStatus | undefined = isOver() ? undefined : await run.query(statusQuery).catch(() => undefined);
    if (status?.needsAttention === undefined && status?.paused === undefined) continue;
    await answer();
  }
}
