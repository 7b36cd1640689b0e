/** An unreachable node, whose pods can't end: it waits for an operator, and is observed meanwhile. */
import { CancellationScope, condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import { nodeGoesOnSignal } from '../node-messages.ts';
import type { NodeRun } from './running-node.ts';
import { waits } from './steps.ts';

/** Waits until `hasHelp` holds, the node is reachable again, or its instance has terminated; in the last two cases the run is told that no operator is needed. */
export async function waitForResumeOrReachable(node: NodeRun, hasHelp: () => boolean): Promise<void> {
  const { node: ref, pool, parent } = node.input;
  const observer = new CancellationScope();
  let changed = false;
  // When the node can't be observed any more, a resume still ends the wait.
  const observed = observer
    .run(async () => await waits(`${ref.name}: reachable again, or gone`).awaitReachable({ node: ref, pool }))
    .then(() => {
      changed = true;
    })
    .catch(() => undefined);
  try {
    await condition(() => changed || hasHelp());
  } finally {
    observer.cancel();
    await observed;
  }
  if (changed && !hasHelp())
    await getExternalWorkflowHandle(parent)
      .signal(nodeGoesOnSignal, ref.name)
      .catch(() => undefined);
}
