import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { EndingResult } from '../activities/ending-steps.ts';
import type { NodeStatus } from '../core/status/status.ts';
import type { NodeReplacementInput } from './messages.ts';
import { notifyRestored } from './run/abandoned.ts';
import { abandon, applyTo, endWith, openNode, runNodeStep } from './run/node-run.ts';
import type { NodeRun } from './run/running-node.ts';

/**
 * Replaces one excluded node: waits until it is deregistered and its connections have drained, evicts its pods, waits until their
 * replacements serve, removes leftover endpoints, terminates the instance. When a step finds the node registered again, its connections
 * drain once more. A node of a drain may end empty instead of terminated. The node is restored when the workflow is cancelled, or the node should not have been excluded, before the instance
 * terminates. Termination itself is not cancelled; only when the instance can't be terminated is the node restored after all.
 */
export async function nodeReplacement(input: NodeReplacementInput): Promise<NodeStatus> {
  const node = openNode(input);
  for (;;) {
    try {
      await node.forward.run(async () => await emptyForGood(node));
      if (isKept(node)) {
        if (await node.forward.run(async () => await confirmEmpty(node))) return endWith(node, 'drained');
        continue;
      }
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return await CancellationScope.nonCancellable(async () => await restore(node));
    }
    try {
      if (await CancellationScope.nonCancellable(async () => await terminate(node)))
        return endWith(node, input.policy.selection === undefined ? 'replaced' : 'removed');
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return await CancellationScope.nonCancellable(async () => await restore(node));
    }
  }
}

/** Returns once nothing needs the node any more. */
async function emptyForGood(node: NodeRun): Promise<void> {
  await deregister(node);
  for (;;) {
    await drainConnections(node);
    if (!(await emptyNode(node))) continue;
    const forwardedUntil = await removeEndpoints(node);
    if (forwardedUntil === undefined) continue;
    await waitForForwarded(node, forwardedUntil);
    return;
  }
}

async function deregister(node: NodeRun): Promise<void> {
  const { excludedAt } = node.input;
  if (node.state.deregisteredAt !== undefined) return;
  const deregistered = await runNodeStep(node, 'deregistering', ({ awaitDeregistered }, step) =>
    awaitDeregistered({ ...step, excludedAt }),
  );
  applyTo(node, { type: 'deregister', at: deregistered.at });
}

async function drainConnections(node: NodeRun): Promise<void> {
  if (node.state.areConnectionsDrained) return;
  const deregisteredAt = node.state.deregisteredAt ?? node.state.now;
  const drained = await runNodeStep(node, 'draining-connections', ({ awaitConnectionsDrained }, step) =>
    awaitConnectionsDrained({ ...step, deregisteredAt }),
  );
  applyTo(node, { type: 'drainConnections', deregisteredAt: drained.deregisteredAt });
}

/** Evicts the pods and waits until their replacements serve; false when connections have to drain once more. */
async function emptyNode(node: NodeRun): Promise<boolean> {
  const evicted = await runNodeStep(node, 'evicting', ({ evictPods }, step) => evictPods(step));
  if (mustRepeat(node, evicted)) return false;
  applyTo(node, { type: 'evictPods', removedAt: evicted.removedAt ?? {} });
  const { before, aside } = node.input;
  const known = { before, ...(aside === undefined ? {} : { aside }) };
  await runNodeStep(node, 'awaiting-replacements', ({ awaitReplacements }, step) =>
    awaitReplacements({ ...step, ...known }),
  );
  return true;
}

/** Returns until when the node may forward connections (epoch ms); undefined when connections have to drain once more. */
async function removeEndpoints(node: NodeRun): Promise<number | undefined> {
  const { now, deregisteredAt = now, removedAt } = node.state;
  const removed = await runNodeStep(node, 'removing-endpoints', (activities, step) =>
    activities.removeEndpoints({ ...step, deregisteredAt, removedAt }),
  );
  return mustRepeat(node, removed) ? undefined : removed.forwardedUntil;
}

async function waitForForwarded(node: NodeRun, notBefore: number): Promise<void> {
  const { now, deregisteredAt = now } = node.state;
  if (now < notBefore) {
    await runNodeStep(
      node,
      'awaiting-forwarded-connections',
      ({ awaitForwardedConnections }, step) => awaitForwardedConnections({ ...step, notBefore }),
      notBefore - now,
    );
  } else if (notBefore > deregisteredAt) {
    const detail = 'the longest connection age had passed before this step';
    applyTo(node, { type: 'addEvidence', seen: { evidence: [{ kind: 'forwarded-ended', at: now, detail }] } });
  }
}

/** A drain leaves the node as it is then, unless its instance is to be terminated. */
function isKept({ input: { policy } }: NodeRun): boolean {
  return policy.selection?.terminate === false;
}

/** Observes once more that the node is empty; false when it has changed, so that earlier steps must be repeated first. */
async function confirmEmpty(node: NodeRun): Promise<boolean> {
  return !mustRepeat(
    node,
    await runNodeStep(node, 'confirming-empty', (activities, step) => activities.confirmEmpty(step)),
  );
}

/** Terminates the instance; false when the node has changed, so that earlier steps must be repeated first. */
async function terminate(node: NodeRun): Promise<boolean> {
  const ended = await runNodeStep(node, 'terminating', ({ terminateNode }, step) =>
    terminateNode({
      ...step,
      isAborted: node.state.isAborted || node.forward.consideredCancelled,
    }),
  );
  return !mustRepeat(node, ended);
}

/**
 * Restores the node, and checks afterwards whether its run still exists: terminating a run cancels the workflows of its nodes. When the
 * run is gone, this workflow also removes what the run had set on the node before.
 */
async function restore(node: NodeRun): Promise<NodeStatus> {
  const wasAbandoned = node.state.isAbandoned;
  await restoreOnce(node, wasAbandoned);
  if (!wasAbandoned && (node.state.isAbandoned || (node.isCancelled() && !(await notifyRestored(node))))) {
    abandon(node);
    await restoreOnce(node, true);
  }
  return endWith(node, 'restored');
}

async function restoreOnce(node: NodeRun, forGood: boolean): Promise<void> {
  await runNodeStep(node, 'restoring', ({ restoreNode }, step) => restoreNode({ ...step, forGood }));
}

/** Whether the node has changed since an earlier step; records which step has to be repeated. */
function mustRepeat(node: NodeRun, { reregistered }: EndingResult): boolean {
  if (reregistered === undefined) return false;
  if (reregistered.step === 'draining-connections') applyTo(node, { type: 'repeatDraining' });
  return true;
}
