import type { PoolStepInput } from '../../activities/fence.ts';
import type { PodSurgeInput, PodSurgeResult } from '../../activities/pod-surge.ts';
import type { Done, Outcome } from '../../activities/polling.ts';
import type { NodeRef } from '../../core/model/node.ts';
import { maxNodesToSurge } from '../../core/plan/limits.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { surgesPods } from '../../core/policy/policy.ts';
import { leftOf } from '../../core/run/nodes.ts';
import { mustRollBack } from '../../core/run/rollback.ts';
import { count } from '../../core/text/format.ts';
import { runUnlessPaused } from './pause.ts';
import { pushRollback } from './rollback.ts';
import { apply, nextStep, type Run, runUntilDone, setPhase } from './run.ts';
import { steps } from './steps.ts';
import { awaitResumedInWindow } from './window.ts';

/**
 * Starts replacements for the pods of the next nodes before these pods leave. Returns the nodes that may be replaced together: all of
 * `waiting` when the policy surges no pods.
 */
export async function surgePods(run: Run, plan: PoolPlan, waiting: readonly NodeRef[]): Promise<readonly NodeRef[]> {
  if (!surgesPods(plan.policy)) return waiting;
  setPhase(run, 'pod-surge');
  await awaitResumedInWindow(run, plan, 'pods');
  if (!mustRollBack(run.state, 'released')) pushRollback(run, { kind: 'released' });
  return await replacePods(run, plan, waiting, 'forward');
}

/** The same for new nodes that an aborted run removes: their pods are replaced on the old nodes before they leave. */
export async function surgePodsBack(
  run: Run,
  plan: PoolPlan,
  waiting: readonly NodeRef[],
): Promise<readonly NodeRef[]> {
  return surgesPods(plan.policy) ? await replacePods(run, plan, waiting, 'back') : waiting;
}

function nothingSurged(at: number): Done<PodSurgeResult> {
  return { outcome: 'done', at, batch: [], released: {}, evictedInstead: [] };
}

/** The step. While the run is paused, no pods are released; then it begins again with what it observes. Nothing pauses a run that rolls back. */
async function surge(
  run: Run,
  plan: PoolPlan,
  isOutdated: () => boolean,
  input: Omit<PodSurgeInput, keyof PoolStepInput>,
): Promise<Outcome<PodSurgeResult>> {
  const step = async () => await steps('surge pods').surgePods({ ...nextStep(run), ...input });
  while (!isOutdated()) {
    const outcome = input.direction === 'forward' ? await runUnlessPaused(run, step) : await step();
    if (outcome !== undefined) return outcome;
    await awaitResumedInWindow(run, plan, 'pods', isOutdated);
  }
  return nothingSurged(run.state.now);
}

async function replacePods(
  run: Run,
  plan: PoolPlan,
  nodes: readonly NodeRef[],
  direction: 'forward' | 'back',
): Promise<readonly NodeRef[]> {
  const waiting = nodes.slice(0, maxNodesToSurge(plan.policy));
  const isForward = direction === 'forward';
  const before = isForward ? run.state.evictedInstead : [];
  // After a skip, other nodes are next.
  const isOutdated = () => leftOf(run.state, waiting).length < waiting.length;
  const input = {
    waiting,
    direction,
    unplaced: plan.unplaced ?? {},
    baselines: run.state.baselines,
    ...(before.length === 0 ? {} : { evictedInstead: before }),
  };
  const { batch, released, evictedInstead, aside, at } = await runUntilDone(
    run,
    `replacements for the pods of ${count(waiting.length, 'node')}`,
    async () => await surge(run, plan, isOutdated, input),
    isOutdated,
  );
  if (isForward) {
    const workloads = [...before, ...evictedInstead.map(({ workload }) => workload)];
    apply(run, { type: 'setEvictedInstead', workloads });
  }
  const what = [
    ...evictedInstead.map(
      ({ workload, reason }) => `${workload} was evicted within its budget instead of being surged: ${reason}`,
    ),
    ...Object.values(aside ?? {}),
  ];
  apply(run, { type: 'recordUnprotected', what });
  for (const { name } of batch) {
    const pods = released[name] ?? 0;
    if (pods === 0) continue;
    const detail = `${count(pods, 'pod')} released, replacements serve`;
    apply(run, { type: 'setEvidence', name, evidence: [{ kind: 'pods-surged', at, detail }] });
  }
  return batch;
}
