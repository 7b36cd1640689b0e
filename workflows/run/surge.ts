import { condition } from '@temporalio/workflow';
import type { NodeRef } from '../../core/model/node.ts';
import { inBrief, type PoolPlan } from '../../core/plan/pool-plan.ts';
import { handsOver } from '../../core/policy/policy.ts';
import { chooseWithRoom } from '../../core/surge/choose-with-room.ts';
import { record } from './record.ts';
import { isUnreachable } from './replace-nodes.ts';
import { attempt, enter, mayStepOut, nextStep, type Run, tellForeignActs } from './run.ts';
import { steps } from './steps.ts';

/** Brings up the new nodes, or the first of them, and waits until the load balancers have taken them; where pods are handed over, only until they can take those. */
export async function surge(run: Run, plan: PoolPlan): Promise<void> {
  const { newPool, surgeAtOnce } = plan;
  enter(run, 'surge');
  record(run, { kind: 'new-pool' });
  await attempt(run, `${newPool.name} to be created`, () =>
    steps(`create ${newPool.name}`).createReplacement({ ...nextStep(run), plan: inBrief(plan) }),
  );
  asked(run, surgeAtOnce ?? plan.surge);
  enter(run, 'surge-ready');
  if (surgeAtOnce === undefined && !handsOver(plan.policy)) return await registered(run, plan);
  await awaitNodes(run, plan, surgeAtOnce === undefined ? undefined : 1);
}

/** Waits until the load balancers have taken the new nodes; nothing leaves before. */
export async function registered(run: Run, plan: PoolPlan): Promise<void> {
  if (run.areNewNodesRegistered) return;
  const expected = plan.surgeAtOnce === undefined ? plan.surge : run.newNodes.length;
  const { nodes } = await attempt(run, `${expected} new nodes to be ready`, () =>
    steps('new nodes ready').awaitSurgeReady({ plan: inBrief(plan), expected }),
  );
  run.newNodes = nodes;
  run.areNewNodesRegistered = true;
}

/** Has new nodes come up for the next old ones; answers those that there is room for: all where all new ones come at once. */
export async function makeRoom(run: Run, plan: PoolPlan, waiting: readonly NodeRef[]): Promise<readonly NodeRef[]> {
  const { surge: all, surgeAtOnce } = plan;
  if (surgeAtOnce === undefined || run.newNodes.length >= all) return waiting;
  // What is unreachable gives nothing any more, though the cloud takes it for running.
  const ended = run.status.nodes
    .filter(({ step, node }) => step === 'replaced' || isUnreachable(run, node))
    .map(({ node }) => node);
  const size = Math.min(all, ended.length + surgeAtOnce);
  if (size > sizeOf(run)) await grow(run, plan, size);
  if (run.newNodes.length < size) {
    enter(run, 'surge-ready');
    await awaitNodes(run, plan, ended.length + 1);
  }
  return run.newNodes.length >= all ? waiting : chooseWithRoom({ waiting, ended, fresh: run.newNodes });
}

/** The new pool becomes as large as the old one was meant to be, also where that had fewer machines. */
export async function completeSurge(run: Run, plan: PoolPlan): Promise<void> {
  if (plan.surgeAtOnce !== undefined && sizeOf(run) < plan.surge) await grow(run, plan, plan.surge);
}

async function grow(run: Run, plan: PoolPlan, size: number): Promise<void> {
  const { newPool } = plan;
  await condition(() => mayStepOut(run));
  enter(run, 'surge');
  await attempt(run, `${newPool.name} to grow`, () =>
    steps(`grow ${newPool.name} to ${size}`).growReplacement({ ...nextStep(run), plan: inBrief(plan), size }),
  );
  asked(run, size);
}

/** Waits until the new nodes can take pods, or `enough` of them, if that is said, where the cloud has no room for the others. */
async function awaitNodes(run: Run, plan: PoolPlan, enough: number | undefined): Promise<void> {
  const expected = sizeOf(run);
  const { nodes, missing, at } = await attempt(run, `${expected} new nodes to be Ready`, () =>
    steps('new nodes Ready').awaitSurgeReady({
      plan: inBrief(plan),
      forPods: true,
      expected,
      ...(enough === undefined ? {} : { enough }),
    }),
  );
  run.newNodes = nodes;
  run.areNewNodesRegistered = false;
  if (missing === undefined) return;
  tellForeignActs(run, [
    {
      at,
      what: `${plan.newPool.name} has ${nodes.length} of ${expected} machines; the run goes on with those: ${missing}`,
    },
  ]);
}

function asked(run: Run, size: number): void {
  run.asked.push({ at: run.now, machines: size - sizeOf(run) });
}

/** Machines that the new pool was asked for. */
function sizeOf({ asked: all }: Run): number {
  return all.reduce((sum, { machines }) => sum + machines, 0);
}
