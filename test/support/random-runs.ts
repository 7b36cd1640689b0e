/** What tests share that draw from a seed what happens to a run. */
import type { Policy } from '../../core/policy/policy.ts';
import type { RunStatus } from '../../core/status/status.ts';
import { statusQuery } from '../../workflows/messages.ts';
import type { World } from '../simulator/world.ts';
import type { Harness } from './temporal-harness.ts';

/** A run that was started by a harness. */
export type StartedRun = Awaited<ReturnType<Harness['start']>>;

/** Seeds to play, `first-last`; others than the usual few with NODEFERRY_TEST_SEEDS. */
export function seedsToPlay(usual: string): readonly number[] {
  const [first = 0, last = 0] = (process.env['NODEFERRY_TEST_SEEDS'] ?? usual).split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** How a run goes about it: on every second seed it surges pods, and on two of three its new nodes come in waves. */
export function waysOf(seed: number): Pick<Policy, 'podSurge' | 'nodeSurge'> {
  const nodeSurge = [{ share: 1 }, { share: 0.5 }, { instances: 1 }][seed % 3] ?? { share: 1 };
  if (seed % 2 === 1) return { nodeSurge };
  return { nodeSurge, podSurge: { mode: 'auto', max: seed % 4 === 0 ? 1 : 'maxSurge', workloads: {} } };
}

/** Real ms between two observations at a run's status. */
const pollIntervalMs = 50;

/** Has every call of the run for an operator answered, a pause too, until the run is over. */
export async function answerCalls(
  { clock }: World,
  run: StartedRun,
  isOver: () => boolean,
  answer: (status: RunStatus) => Promise<unknown>,
): Promise<void> {
  const operator = clock.onlooker('the operator');
  try {
    while (!isOver()) {
      await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
      const status: RunStatus | undefined = isOver() ? undefined : await run.query(statusQuery).catch(() => undefined);
      if (status?.stalled !== undefined || status?.paused !== undefined) await answer(status);
      operator.observed();
    }
  } finally {
    operator.leave();
  }
}
