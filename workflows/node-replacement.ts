import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { EndingResult } from '../activities/ending-steps.ts';
import type { NodeStatus } from '../core/status/status.ts';
import type { NodeReplacementInput } from './messages.ts';
import { keep, leaveAlone, type NodeRun, openNode, take } from './run/node-run.ts';
import { tellBack } from './run/orphan.ts';
import { steps } from './run/steps.ts';

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
      return await CancellationScope.nonCancellable(async () => await putBack(node));
    }
    try {
      if (await CancellationScope.nonCancellable(async () => await terminate(node))) return node.end('replaced');
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return await CancellationScope.nonCancellable(async () => await putBack(node));
    }
  }
}

/** Returns once the machine may go. */
async function moveOut(node: NodeRun): Promise<void> {
  await leaveLoadBalancers(node);
  for (;;) {
    await drainConnections(node);
    if (!(await emptyNode(node))) continue;
    const transitUntil = await retireEndpoints(node);
    if (transitUntil === undefined) continue;
    await waitForTransit(node, transitUntil);
    return;
  }
}

async function leaveLoadBalancers(node: NodeRun): Promise<void> {
  const { input, deadlines } = node;
  if (node.outSince !== undefined) return;
  const out = await take(node, 'leaving-load-balancers', deadlines.observedOutMs, (step) =>
    steps(`${input.node.name}: leave load balancers`).awaitObservedOut({ ...step, excludedAt: input.excludedAt }),
  );
  node.outSince = out.at;
}

async function drainConnections(node: NodeRun): Promise<void> {
  if (node.drained) return;
  const observedOutAt = node.outSince ?? node.now;
  const drained = await take(node, 'draining-connections', node.deadlines.connectionsDrainedMs, (step) =>
    steps(`${node.input.node.name}: connections end`).awaitDrained({ ...step, observedOutAt }),
  );
  node.outSince = drained.outSince;
  node.drained = true;
}

/** Moves the pods and sees their replacements serve; false when the node has to drain once more. */
async function emptyNode(node: NodeRun): Promise<boolean> {
  const { input, deadlines } = node;
  const { name } = input.node;
  const evicted = await take(node, 'evicting', deadlines.evictionMs, (step) =>
    steps(`${name}: pods leave`).evictPods(step),
  );
  if (goesBack(node, evicted)) return false;
  node.unlistedAt = evicted.unlistedAt ?? {};
  const { before, aside } = input;
  const known = { before, ...(aside === undefined ? {} : { aside }) };
  await take(node, 'awaiting-replacements', deadlines.replacementsServingMs, (step) =>
    steps(`${name}: replacements serve`).awaitReplacements({ ...step, ...known }),
  );
  return true;
}

/** Answers until when connections may pass through the node; undefined when it has to drain once more. */
async function retireEndpoints(node: NodeRun): Promise<number | undefined> {
  const { outSince = node.now, unlistedAt } = node;
  const retired = await take(node, 'retiring-endpoints', node.deadlines.endpointsRetiredMs, (step) =>
    steps(`${node.input.node.name}: leftover endpoints retire`).retireEndpoints({ ...step, outSince, unlistedAt }),
  );
  return goesBack(node, retired) ? undefined : retired.transitUntil;
}

async function waitForTransit(node: NodeRun, notBefore: number): Promise<void> {
  if (node.now < notBefore) {
    await take(node, 'awaiting-transit-connections', notBefore - node.now, (step) =>
      steps(`${node.input.node.name}: connections through it end`).awaitTransit({ ...step, notBefore }),
    );
  } else if (notBefore > (node.outSince ?? node.now)) {
    const detail = 'older than the longest connection age before anybody had to wait for it';
    keep(node, { evidence: [{ kind: 'transit-ended', at: node.now, detail }] });
  }
}

/** Ends the machine; false when the node is not as it was left, so that this must wait. */
async function terminate(node: NodeRun): Promise<boolean> {
  const ended = await take(node, 'terminating', node.deadlines.nodeGoneMs, (step) =>
    steps(`${node.input.node.name}: terminate`).terminateNode({
      ...step,
      isAborted: node.isAborted || node.forward.consideredCancelled,
    }),
  );
  return !goesBack(node, ended);
}

/**
 * Puts the node back, and asks afterwards whether its run has outlived that: whoever terminates a run has its nodes' workflows cancelled.
 * With nobody left to take away what the run has set on the node before, it does so itself.
 */
async function putBack(node: NodeRun): Promise<NodeStatus> {
  const wasAlone = node.isOrphan;
  await takeBack(node, wasAlone);
  if (!wasAlone && (node.isOrphan || (node.isCancelled() && !(await tellBack(node))))) {
    leaveAlone(node);
    await takeBack(node, true);
  }
  return node.end('put-back');
}

async function takeBack(node: NodeRun, forGood: boolean): Promise<void> {
  await take(node, 'putting-back', node.deadlines.observedOutMs, (step) =>
    steps(`${node.input.node.name}: put back`).putBackNode({ ...step, forGood }),
  );
}

/** Whether the node was found other than it was left; then what has to be done again is noted. */
function goesBack(node: NodeRun, { backIn }: EndingResult): boolean {
  if (backIn === undefined) return false;
  if (backIn.step === 'draining-connections') {
    node.drained = false;
    node.outSince = node.now;
  }
  return true;
}
