import type { NodeRef } from '../../core/model/node.ts';
import { type PoolPlan, summarize } from '../../core/plan/pool-plan.ts';
import { isInPlace, keepsTarget } from '../../core/policy/members.ts';
import { surgesPods } from '../../core/policy/policy.ts';
import { requestedSize } from '../../core/run/capacity.ts';
import { skippedOf } from '../../core/run/nodes.ts';
import { isSetAside } from '../../core/run/stalled.ts';
import { pairByZone } from '../../core/surge/pair-by-zone.ts';
import { dropRollback, pushRollback } from './rollback.ts';
import { apply, nextStep, type Run, runUntilDone, setPhase } from './run.ts';
import { failWith, steps } from './steps.ts';
import { awaitResumedInWindow, awaitWindow } from './window.ts';

/** Requests the new nodes, or the first wave of them, in a new pool or in one that exists; none while the run is paused. */
export async function createNewNodes(run: Run, plan: PoolPlan): Promise<void> {
  await awaitResumedInWindow(run, plan, 'nodes');
  setPhase(run, 'node-surge');
  pushRollback(run, { kind: 'new-pool' });
  const [goal, label] = beginningOf(plan);
  const { outdated } = await runUntilDone(run, goal, () =>
    steps(label).createPool({ ...nextStep(run), plan: summarize(plan) }),
  );
  if (outdated !== undefined) {
    dropRollback(run, 'new-pool');
    throw failWith(outdated);
  }
  apply(run, { type: 'requestSize', size: Math.max(requestedSize(run.state), plan.surgeAtOnce ?? plan.surge) });
}

/**
 * Waits until the new nodes are registered with their load balancers. When they come in waves, or pods are surged, it only waits until they are Ready
 * for pods.
 */
export async function awaitNewNodes(run: Run, plan: PoolPlan): Promise<void> {
  const { surgeAtOnce } = plan;
  setPhase(run, 'nodes-ready');
  if (surgeAtOnce === undefined && !surgesPods(plan.policy)) return await awaitRegistered(run, plan);
  await awaitNodes(run, plan, surgeAtOnce === undefined ? undefined : 1);
}

/** What is waited for while the new pool is prepared, and the label of that step. */
function beginningOf({ policy, newPool: { name } }: PoolPlan): readonly [goal: string, label: string] {
  if (isInPlace(policy)) return [`${name} to get new instances`, `add new instances to ${name}`];
  if (keepsTarget(policy)) return [`${name} to have the instances that it lacks`, `adopt ${name}`];
  return [`${name} to be created`, `create ${name}`];
}

/** Waits until the new nodes are registered with their load balancers; no old node is excluded before. */
export async function awaitRegistered(run: Run, plan: PoolPlan): Promise<void> {
  if (run.state.areNewNodesRegistered) return;
  const expected = plan.surgeAtOnce === undefined ? plan.surge : run.state.newNodes.length;
  const { nodes } = await runUntilDone(run, `${expected} new nodes to be ready`, () =>
    steps('new nodes ready').awaitNodesReady({ plan: summarize(plan), expected }),
  );
  apply(run, { type: 'recordNewNodes', nodes, areRegistered: true });
}

/** Adds new nodes for the next old ones. Returns the old nodes that the new ones can replace: all of them when all new nodes come at once. */
export async function addWave(run: Run, plan: PoolPlan, waiting: readonly NodeRef[]): Promise<readonly NodeRef[]> {
  const { surgeAtOnce } = plan;
  // A skipped node keeps its pods: it needs no new one.
  const all = plan.surge - skippedOf(run.state).length;
  if (surgeAtOnce === undefined || run.state.newNodes.length >= all) return waiting;
  // An unreachable node has no capacity any more, even if the cloud reports its instance as running. Another stalled one may have moved its pods.
  const ended = run.state.status.nodes
    .filter(({ step, node }) => step === 'replaced' || isSetAside(run.state, node))
    .map(({ node }) => node);
  const size = Math.min(all, ended.length + surgeAtOnce);
  if (size > requestedSize(run.state)) {
    await awaitWindow(run, plan, 'nodes');
    await grow(run, plan, size);
  }
  if (run.state.newNodes.length < size) {
    setPhase(run, 'nodes-ready');
    await awaitNodes(run, plan, ended.length + 1);
  }
  const { newNodes: fresh } = run.state;
  return fresh.length >= all ? waiting : pairByZone({ waiting, ended, fresh });
}

/** Grows the new pool to the desired size of the old one, even if the old one had fewer instances. */
export async function growToFullSize(run: Run, plan: PoolPlan): Promise<void> {
  if (plan.surgeAtOnce !== undefined && requestedSize(run.state) < plan.surge) await grow(run, plan, plan.surge);
}

async function grow(run: Run, plan: PoolPlan, size: number): Promise<void> {
  const { newPool } = plan;
  await awaitResumedInWindow(run, plan, 'nodes');
  setPhase(run, 'node-surge');
  await runUntilDone(run, `${newPool.name} to grow`, () =>
    steps(`grow ${newPool.name} to ${size}`).resizePool({ ...nextStep(run), plan: summarize(plan), size }),
  );
  apply(run, { type: 'requestSize', size });
}

/** Waits until the new nodes are Ready for pods. With `enough`, that many suffice when the cloud has no capacity for the others. */
async function awaitNodes(run: Run, plan: PoolPlan, enough: number | undefined): Promise<void> {
  const expected = requestedSize(run.state);
  const { nodes, missing, at } = await runUntilDone(run, `${expected} new nodes to be Ready`, () =>
    steps('new nodes Ready').awaitNodesReady({
      plan: summarize(plan),
      forPods: true,
      expected,
      ...(enough === undefined ? {} : { enough }),
    }),
  );
  apply(run, { type: 'recordNewNodes', nodes, areRegistered: false });
  if (missing === undefined) return;
  const what = `${plan.newPool.name} has ${nodes.length} of ${expected} instances; the run continues with those: ${missing}`;
  apply(run, { type: 'recordExternalChanges', changes: [{ at, what }] });
}
