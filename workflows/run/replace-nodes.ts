import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  type ChildWorkflowHandle,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import type { Exclusion } from '../../activities/exclusion.ts';
import type { NodeRef } from '../../core/model/node.ts';
import type { PoolRef } from '../../core/model/pool.ts';
import type { Problem } from '../../core/model/problem.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import type { Evidence, NodeStatus } from '../../core/status/status.ts';
import {
  type NodeReplacementInput,
  nodeReplacementId,
  recallSignal,
  resumedSignal,
  searchAttributes,
  workflowTypes,
} from '../messages.ts';
import { excludeNext } from './exclude.ts';
import { nodeInput } from './node-input.ts';
import { changeNode, hear, type Run, recordExternalChanges, recordUnprotected, sparesOthers, stall } from './run.ts';
import { abandonChild, clearStalled } from './stalled.ts';
import { problemOf } from './steps.ts';

type Replacement = (input: NodeReplacementInput) => Promise<NodeStatus>;

/**
 * Moves the nodes of a pool out, as many together as the guard lets go; returns when each has been replaced. Where nobody could go, nobody was
 * on the way, and an operator has had it tried again, it returns before: those that wait may be prepared better by now.
 */
export async function replaceNodes(run: Run, plan: PoolPlan, nodes: readonly NodeRef[], pool: PoolRef): Promise<void> {
  await replaceReachable(run, plan, nodes, pool, () => false);
}

/** The same, but for nodes that an operator is asked about while others go on: they are left on their way. */
export async function replaceOthers(run: Run, plan: PoolPlan, nodes: readonly NodeRef[], pool: PoolRef): Promise<void> {
  await replaceReachable(run, plan, nodes, pool, (node) => isUnreachable(run, node));
}

/** An operator is asked about its machine. */
export function isUnreachable({ stalledNodes }: Run, { name }: NodeRef): boolean {
  const problem = stalledNodes[name];
  return problem !== undefined && sparesOthers(problem);
}

async function replaceReachable(
  run: Run,
  plan: PoolPlan,
  nodes: readonly NodeRef[],
  pool: PoolRef,
  isLeft: (node: NodeRef) => boolean,
): Promise<void> {
  trackNodes(run, nodes);
  for (;;) {
    const waiting = nodes.filter((node) => stepOf(run, node) === 'pending');
    if (waiting.length > 0) {
      const gone = await excludeNext(run, plan, waiting);
      if (gone !== 'resumed') for (const out of gone) startReplacement(run, plan, pool, out);
      else if (Object.keys(run.children).length === 0) return;
      continue;
    }
    const left = leftOf(run, nodes);
    if (left.every(isLeft)) return;
    const hasMoved = (node: NodeRef) => stepOf(run, node) === 'replaced' || stepOf(run, node) === 'pending';
    await condition(() => left.some(hasMoved) || left.every(isLeft));
  }
}

/** Asks for a node's workflow. It is on its way from now on, so that nothing that it says or shall hear gets lost. */
function startReplacement(run: Run, plan: PoolPlan, pool: PoolRef, out: Exclusion): void {
  const { node } = out;
  const { policy } = plan;
  const evidence = [...surgedBefore(run, node), ...out.evidence];
  recordUnprotected(run, Object.values(out.aside ?? {}));
  const workflowId = nodeReplacementId(policy.cluster.name, pool.name, plan.run, node.name);
  const round = (run.rounds[node.name] ?? 0) + 1;
  run.rounds[node.name] = round;
  const { baselines, resumes, now } = run;
  const known = { run: plan.run, parent: run.status.workflowId, pool, policy, baselines, round, resumes, now };
  const input = nodeInput(known, { ...out, evidence });
  const starting = startChild<Replacement>(workflowTypes.nodeReplacement, {
    workflowId,
    args: [input],
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    staticSummary: `${node.name} of ${pool.name}`,
    typedSearchAttributes: [
      { key: searchAttributes.cluster, value: policy.cluster.name },
      { key: searchAttributes.pool, value: pool.name },
    ],
  });
  const scope = CancellationScope.current();
  run.children[node.name] = {
    node,
    ended: follow(run, node, starting, scope),
    notifyResumed: async (resumes, told) => await (await starting).signal(resumedSignal, resumes, told),
    recall: async (reason) => await (await starting).signal(recallSignal, reason),
    isCancelled: () => scope.consideredCancelled,
  };
  changeNode(run, node.name, { step: 'replacing', workflowId, evidence, problem: undefined });
}

/**
 * Takes over what a node's workflow ended with. One that was restored because it should not have gone waits for another turn. One
 * that could not start, failed outright, or was cancelled by itself in the web UI needs attention, then begins anew. `scope` is the
 * one that started it: when that is cancelled, putting back is what was wanted.
 */
async function follow(
  run: Run,
  node: NodeRef,
  starting: Promise<ChildWorkflowHandle<Replacement>>,
  scope: CancellationScope,
): Promise<void> {
  const { resumes } = run;
  try {
    const child = await starting;
    if (scope.consideredCancelled) await cancelAgain(child);
    const status = await child.result();
    hear(run, status.evidence.at(-1)?.at ?? run.now);
    changeNode(run, node.name, status);
    if (status.step === 'restored' && !scope.consideredCancelled) requeue(run, node, status);
  } catch (error) {
    const startedAlready = error instanceof WorkflowExecutionAlreadyStartedError;
    const wanted = isCancellation(error) && scope.consideredCancelled;
    if (wanted || (startedAlready && run.resumes > resumes)) {
      changeNode(run, node.name, { step: 'pending', problem: undefined });
    } else if (startedAlready) {
      abandonChild(error.workflowId);
      requeueStalled(run, node, runsAlready(node, error));
    } else if (isCancellation(error)) requeueStalled(run, node, cancelledByItself(node));
    else requeueStalled(run, node, problemOf(error));
  } finally {
    clearStalled(run, node.name);
    delete run.children[node.name];
  }
}

/**
 * A cancellation that overtakes the start of a child is refused by the server, which knows no such workflow yet, and nobody sends it
 * again (RequestCancelExternalWorkflowExecutionFailed: EXTERNAL_WORKFLOW_EXECUTION_NOT_FOUND; seen with server 1.31 and SDK 1.24). Once
 * the child has started it is there to hear.
 */
async function cancelAgain({ workflowId }: ChildWorkflowHandle<Replacement>): Promise<void> {
  try {
    await CancellationScope.nonCancellable(async () => {
      await getExternalWorkflowHandle(workflowId).cancel();
    });
  } catch {
    // It has ended.
  }
}

function requeue(run: Run, node: NodeRef, { restoredBecause }: NodeStatus): void {
  if (restoredBecause === undefined) return requeueStalled(run, node, cancelledByItself(node));
  recordExternalChanges(run, [{ at: run.now, what: `${node.name} was restored: ${restoredBecause}` }]);
  const rounds = run.rounds[node.name] ?? 0;
  if (rounds > 0 && rounds % maxRounds === 0)
    return requeueStalled(run, node, neverStays(node, rounds, restoredBecause));
  changeNode(run, node.name, { step: 'pending', problem: undefined });
}

function requeueStalled(run: Run, node: NodeRef, problem: Problem): void {
  changeNode(run, node.name, { step: 'pending', problem });
  stall(run, problem);
}

/** What makes a node come back so often is nothing that passes. */
const maxRounds = 6;

function neverStays(node: NodeRef, rounds: number, because: string): Problem {
  return {
    code: 'Conflict',
    message: `${node.name} was excluded ${rounds} times and restored each time, the last time because ${because}`,
    hint: 'See what makes that Service or budget lose others repeatedly; resume once it is stable, or abort the run.',
  };
}

function cancelledByItself(node: NodeRef): Problem {
  return {
    code: 'Conflict',
    message: `the replacement of ${node.name} was cancelled by itself; the node was restored`,
    hint: 'Resume to replace it again, or abort the run.',
  };
}

function runsAlready(node: NodeRef, { workflowId }: WorkflowExecutionAlreadyStartedError): Problem {
  return {
    code: 'Conflict',
    message: `the replacement of ${node.name} can't start: workflow ${workflowId} runs already`,
    hint: 'It was told to restore its node: resume once it has ended. If it is stuck, end it first; or abort the run.',
  };
}

/** Adds nodes that the run did not know yet, as waiting. */
export function trackNodes(run: Run, nodes: readonly NodeRef[]): void {
  const known = new Set(run.status.nodes.map((node) => node.node.uid));
  const added = nodes.filter((node) => !known.has(node.uid));
  run.status.nodes = [
    ...run.status.nodes,
    ...added.map((node): NodeStatus => ({ node, step: 'pending', waiting: undefined, evidence: [] })),
  ];
}

/** What was seen of its pods before it went, in whichever turn. */
function surgedBefore(run: Run, { uid }: NodeRef): readonly Evidence[] {
  const known = run.status.nodes.find((status) => status.node.uid === uid)?.evidence ?? [];
  return known.filter(({ kind }) => kind === 'pods-surged');
}

function stepOf(run: Run, node: NodeRef): NodeStatus['step'] | undefined {
  return run.status.nodes.find((status) => status.node.uid === node.uid)?.step;
}

/** Those of the nodes that have not been replaced. */
export function leftOf(run: Run, nodes: readonly NodeRef[]): readonly NodeRef[] {
  return nodes.filter((node) => stepOf(run, node) !== 'replaced');
}

/** Those of them that are not on their way. */
export function idleOf({ children }: Run, nodes: readonly NodeRef[]): readonly NodeRef[] {
  return nodes.filter(({ name }) => children[name] === undefined);
}
