import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { NodeStatus } from '../core/status/status.ts';
import { terminationNotBefore } from '../core/waits/formulas.ts';
import type { NodeReplacementInput } from './messages.ts';
import { keep, type NodeRun, openNode, take } from './run/node-run.ts';
import { steps } from './run/steps.ts';

/**
 * Replaces one node: out of its load balancers, connections ended, pods moved, replacements seen to serve, leftover endpoints gone,
 * then the machine. Cancelled before the machine's turn it puts the node back; after that the only way is forward.
 */
export async function nodeReplacement(input: NodeReplacementInput): Promise<NodeStatus> {
  const node = openNode(input);
  try {
    await moveOut(node);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return await CancellationScope.nonCancellable(async () => await putBack(node));
  }
  return await CancellationScope.nonCancellable(async () => await terminate(node));
}

async function moveOut(node: NodeRun): Promise<void> {
  const { input, deadlines } = node;
  const { name } = input.node;
  const out = await take(node, 'leaving-load-balancers', deadlines.observedOutMs, () =>
    steps(`${name}: leave load balancers`).stepOutNode(node.step),
  );
  const drained = await take(node, 'draining-connections', deadlines.connectionsDrainedMs, () =>
    steps(`${name}: connections end`).awaitDrained({ ...node.step, observedOutAt: out.at }),
  );
  await take(node, 'evicting', deadlines.evictionMs, () => steps(`${name}: pods leave`).evictPods(node.step));
  await take(node, 'awaiting-replacements', deadlines.replacementsServingMs, () =>
    steps(`${name}: replacements serve`).awaitReplacements({ ...node.step, before: out.before }),
  );
  const retired = await take(node, 'retiring-endpoints', deadlines.endpointsRetiredMs, () =>
    steps(`${name}: leftover endpoints retire`).retireEndpoints(node.step),
  );
  const notBefore = terminationNotBefore(input.services, drained.outSince, input.policy);
  if (retired.at < notBefore) {
    await take(node, 'awaiting-transit-connections', notBefore - retired.at, () =>
      steps(`${name}: connections through it end`).awaitTransit({ ...node.step, notBefore }),
    );
  } else if (notBefore > drained.outSince) {
    const detail = 'older than the longest connection age before anybody had to wait for it';
    keep(node, [{ kind: 'transit-ended', at: retired.at, detail }]);
  }
}

async function terminate(node: NodeRun): Promise<NodeStatus> {
  const { name } = node.input.node;
  await take(node, 'terminating', node.deadlines.nodeGoneMs, () =>
    steps(`${name}: terminate`).terminateNode(node.step),
  );
  return node.end('replaced');
}

async function putBack(node: NodeRun): Promise<NodeStatus> {
  const { name } = node.input.node;
  await take(node, 'putting-back', node.deadlines.observedOutMs, () =>
    steps(`${name}: put back`).putBackNode(node.step),
  );
  return node.end('put-back');
}
