import { ApplicationFailure } from '@temporalio/common';
import { condition, defineSignal, setHandler } from '@temporalio/workflow';
import type { PoolUpgradeInput } from '../../../workflows/messages.ts';

export { windowLauncher } from '../../../workflows/window-launcher.ts';

/** How an upgrade ends that a test controls: with this outcome in its report, or failed. */
export type Ending = 'completed' | 'aborted' | 'failed';

/** An upgrade that touches nothing, and ends as a signal says. Its launcher is the real one. */
export async function poolUpgrade({ run, policy, by, reason }: PoolUpgradeInput): Promise<object> {
  let ending: Ending | undefined;
  setHandler(defineSignal<[Ending]>('end'), (wanted) => {
    ending = wanted;
  });
  await condition(() => ending !== undefined);
  if (ending === 'failed') throw ApplicationFailure.nonRetryable('nodes never became Ready', 'DeadlineExceeded');
  const actions = [
    { action: 'start', by, reason },
    ...(ending === 'aborted' ? [{ action: 'abort', by: 'ann', reason: 'a test' }] : []),
  ];
  return { run, outcome: ending, newPool: policy.target.poolName, nodes: [], actions };
}
