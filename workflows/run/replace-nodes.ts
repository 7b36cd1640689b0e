import {
  CancellationScope,
  ChildWorkflowCancellationType,
  condition,
  isCancellation,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import type { Grant } from '../../activities/grant-steps.ts';
import type { Done } from '../../activities/polling.ts';
import type { NodeRef } from '../../core/model/node.ts';
import type { PoolRef } from '../../core/model/pool.ts';
import type { Problem } from '../../core/model/problem.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import type { NodeStatus } from '../../core/status/status.ts';
import {
  type NodeReplacementInput,
  nodeReplacementId,
  retrySignal,
  searchAttributes,
  workflowTypes,
} from '../messages.ts';
import { changeNode, mayGrant, needAttention, type Run, raise, show, unpark } from './run.ts';
import { problemOf, settle, steps } from './steps.ts';

/** As many nodes are named to the guard at a time: far more than may be out together, and little history with hundreds of nodes. */
const candidatesAtMost = 50;

/** Moves the nodes of a pool out, as many together as the guard grants; returns when each has been replaced. */
export async function replaceNodes(run: Run, plan: PoolPlan, nodes: readonly NodeRef[], pool: PoolRef): Promise<void> {
  addNodes(run, nodes);
  for (;;) {
    const waiting = nodes.filter((node) => stepOf(run, node) === 'waiting');
    if (waiting.length > 0) {
      for (const grant of await nextGrants(run, plan, waiting)) await startReplacement(run, plan, pool, grant);
      continue;
    }
    const left = nodes.filter((node) => stepOf(run, node) !== 'replaced');
    if (left.length === 0) return;
    await condition(() => left.some((node) => stepOf(run, node) === 'replaced' || stepOf(run, node) === 'waiting'));
  }
}

/** Asks the guard while nothing speaks against a grant; an answer that comes after a pause counts for nothing. */
async function nextGrants(run: Run, plan: PoolPlan, waiting: readonly NodeRef[]): Promise<readonly Grant[]> {
  await condition(() => mayGrant(run));
  run.status.waiting = {
    on: `capacity to let ${waiting[0]?.name ?? 'a node'} step out`,
    since: run.now,
    until: undefined,
  };
  show(run);
  const asking = new CancellationScope();
  let answer: Done<{ grants: readonly Grant[] }> | { outcome: 'deadline'; problem: Problem } | undefined;
  const asked = asking.run(async () => {
    const inFlight = Object.values(run.children).map((child) => child.node);
    const { policy, services } = plan;
    const next = waiting.slice(0, candidatesAtMost);
    answer = await settle(() => steps('ask the guard').awaitStepOut({ policy, services, inFlight, waiting: next }));
  });
  const quiet = asked.catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  await condition(() => answer !== undefined || !mayGrant(run));
  if (!mayGrant(run)) asking.cancel();
  await quiet;
  if (answer === undefined || !mayGrant(run)) return [];
  run.status.waiting = undefined;
  if (answer.outcome === 'done') {
    run.now = Math.max(run.now, answer.at);
    return answer.grants;
  }
  await needAttention(run, answer.problem);
  return [];
}

async function startReplacement(run: Run, plan: PoolPlan, pool: PoolRef, { node, evidence }: Grant): Promise<void> {
  const { policy, services } = plan;
  const workflowId = nodeReplacementId(policy.cluster.name, pool.name, plan.run, node.name);
  const input: NodeReplacementInput = {
    run: plan.run,
    parent: run.status.workflowId,
    node,
    pool,
    policy,
    services,
    grantedAt: run.now,
    evidence,
  };
  const child = await startChild(workflowTypes.nodeReplacement, {
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
    ended: follow(run, node, child.result(), scope),
    retry: async () => await child.signal(retrySignal),
    isCancelled: () => scope.consideredCancelled,
  };
  changeNode(run, node.name, { step: 'stepping-out', workflowId, evidence });
}

/**
 * Takes over what a node's workflow ended with. One that failed outright, or that somebody cancelled by itself in the web UI, needs
 * attention, then begins anew. `scope` is the one that started it: when that is cancelled, putting back is what was wanted.
 */
async function follow(run: Run, node: NodeRef, result: Promise<NodeStatus>, scope: CancellationScope): Promise<void> {
  try {
    const status = await result;
    const latest = status.evidence.at(-1)?.at ?? run.now;
    run.now = Math.max(run.now, latest);
    changeNode(run, node.name, status);
    if (status.step === 'put-back' && !scope.consideredCancelled) beginAnew(run, node, cancelledByItself(node));
  } catch (error) {
    if (!isCancellation(error)) beginAnew(run, node, problemOf(error));
    else if (scope.consideredCancelled) changeNode(run, node.name, { step: 'waiting', problem: undefined });
    else beginAnew(run, node, cancelledByItself(node));
  } finally {
    unpark(run, node.name);
    delete run.children[node.name];
  }
}

function beginAnew(run: Run, node: NodeRef, problem: Problem): void {
  changeNode(run, node.name, { step: 'waiting', problem });
  raise(run, problem);
}

function cancelledByItself(node: NodeRef): Problem {
  return {
    code: 'Conflict',
    message: `the replacement of ${node.name} was cancelled by itself; the node was put back`,
    hint: 'Resume to replace it again, or abort the run.',
  };
}

/** Adds nodes that the run did not know yet, as waiting. */
export function addNodes(run: Run, nodes: readonly NodeRef[]): void {
  const known = new Set(run.status.nodes.map((node) => node.node.uid));
  const added = nodes.filter((node) => !known.has(node.uid));
  run.status.nodes = [
    ...run.status.nodes,
    ...added.map((node): NodeStatus => ({ node, step: 'waiting', waiting: undefined, evidence: [] })),
  ];
}

function stepOf(run: Run, node: NodeRef): NodeStatus['step'] | undefined {
  return run.status.nodes.find((status) => status.node.uid === node.uid)?.step;
}
