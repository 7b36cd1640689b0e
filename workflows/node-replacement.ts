import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { EndingResult } from '../activities/ending-steps.ts';
import type { NodeStatus } from '../core/status/status.ts';
import type { NodeReplacementInput } from './messages.ts';
import { notifyRestored } from './run/abandoned.ts';
import { abandon, applyTo, endWith, openNode, runNodeStep } from './run/node-run.ts';
import type { NodeRun } from './run/running-node.ts';

/**
 * Replaces one node that has stepped out: out of its load balancers, connections ended, pods moved, replacements seen to serve, leftover
 * endpoints gone, then the machine. Whoever finds the node back in a load balancer goes back to where it drains. Cancelled before
 * the machine's turn, or not needed out any more, it puts the node back; after that the only way is forward, unless the machine can't
 * be ended.
 */
export async function nodeReplacement(input: NodeReplacementInput): Promise<NodeStatus> {
  const node = openNode(input);
  for (;;) {
    try {
      await node.forward.run(async () => await moveOut(node));
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return await CancellationScope.nonCancellable(async () => await restore(node));
    }
    try {
      if (await CancellationScope.nonCancellable(async () => await terminate(node))) return endWith(node, 'replaced');
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return await CancellationScope.nonCancellable(async () => await restore(node));
    }
  }
}

/** Returns once the machine may go. */
async function moveOut(node: NodeRun): Promise<void> {
  await leaveLoadBalancers(node);
  for (;;) {
    await drainConnections(node);
    if (!(await emptyNode(node))) continue;
    const forwardedUntil = await removeEndpoints(node);
    if (forwardedUntil === undefined) continue;
    await waitForForwarded(node, forwardedUntil);
    return;
  }
}

async function leaveLoadBalancers(node: NodeRun): Promise<void> {
  const { excludedAt } = node.input;
  if (node.state.deregisteredAt !== undefined) return;
  const out = await runNodeStep(node, 'deregistering', ({ awaitDeregistered }, step) =>
    awaitDeregistered({ ...step, excludedAt }),
  );
  applyTo(node, { type: 'deregister', at: out.at });
}

async function drainConnections(node: NodeRun): Promise<void> {
  if (node.state.areConnectionsDrained) return;
  const deregisteredAt = node.state.deregisteredAt ?? node.state.now;
  const drained = await runNodeStep(node, 'draining-connections', ({ awaitConnectionsDrained }, step) =>
    awaitConnectionsDrained({ ...step, deregisteredAt }),
  );
  applyTo(node, { type: 'drainConnections', deregisteredAt: drained.deregisteredAt });
}

/** Moves the pods and sees their replacements serve; false when the node has to drain once more. */
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

/** Answers until when connections may pass through the node; undefined when it has to drain once more. */
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
    const detail = 'older than the longest connection age before anybody had to wait for it';
    applyTo(node, { type: 'addEvidence', seen: { evidence: [{ kind: 'forwarded-ended', at: now, detail }] } });
  }
}

/** Ends the machine; false when the node is not as it was left, so that this must wait. */
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
 * Puts the node back, and asks afterwards whether its run has outlived that: whoever terminates a run has its nodes' workflows cancelled.
 * With nobody left to take away what the run has set on the node before, it does so itself.
 */
async function restore(node: NodeRun): Promise<NodeStatus> {
  const wasAlone = node.state.isAbandoned;
  await restoreOnce(node, wasAlone);
  if (!wasAlone && (node.state.isAbandoned || (node.isCancelled() && !(await notifyRestored(node))))) {
    abandon(node);
    await restoreOnce(node, true);
  }
  return endWith(node, 'restored');
}

async function restoreOnce(node: NodeRun, forGood: boolean): Promise<void> {
  await runNodeStep(node, 'restoring', ({ restoreNode }, step) => restoreNode({ ...step, forGood }));
}

/** Whether the node was found other than it was left; then what has to be done again is noted. */
function mustRepeat(node: NodeRun, { reregistered }: EndingResult): boolean {
  if (reregistered === undefined) return false;
  if (reregistered.step === 'draining-connections') applyTo(node, { type: 'repeatDraining' });
  return true;
}
