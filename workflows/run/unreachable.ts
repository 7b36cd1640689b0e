/** A node that nobody hears, and whose pods can't end: an operator is asked, and what becomes of it is seen meanwhile. */
import { CancellationScope, condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import { nodeGoesOnSignal } from '../messages.ts';
import type { NodeRun } from './running-node.ts';
import { waits } from './steps.ts';

/** Waits until there is `help`, or the node is heard again, or its machine has ended; then the pool is told that nobody is needed. */
export async function waitForResumeOrReachable(node: NodeRun, help: () => boolean): Promise<void> {
  const { node: ref, pool, parent } = node.input;
  const observer = new CancellationScope();
  let changed = false;
  // Where it can't be looked at any more, a resume still helps.
  const observed = observer
    .run(async () => await waits(`${ref.name}: heard again, or gone`).awaitReachable({ node: ref, pool }))
    .then(() => {
      changed = true;
    })
    .catch(() => undefined);
  try {
    await condition(() => changed || help());
  } finally {
    observer.cancel();
    await observed;
  }
  if (changed && !help())
    await getExternalWorkflowHandle(parent)
      .signal(nodeGoesOnSignal, ref.name)
      .catch(() => undefined);
}
