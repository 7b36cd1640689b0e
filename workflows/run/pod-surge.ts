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
import { awaitResumed, runUnlessPaused } from './pause.ts';
import { pushRollback } from './rollback.ts';
import { apply, nextStep, type Run, runUntilDone, setPhase } from './run.ts';
import { steps } from './steps.ts';

/**
 * Starts replacements for the pods of the next nodes before these pods leave. Returns the nodes that may be replaced together: all of
 * `waiting` when the policy surges no pods.
 */
export async function surgePods(
  run: Run,
  { policy, unplaced = {} }: PoolPlan,
  waiting: readonly NodeRef[],
): Promise<readonly NodeRef[]> {
  if (!surgesPods(policy)) return waiting;
  setPhase(run, 'pod-surge');
  await awaitResumed(run);
  if (!mustRollBack(run.state, 'released')) pushRollback(run, { kind: 'released' });
  const next = waiting.slice(0, maxNodesToSurge(policy));
  return await replacePods(run, { waiting: next, unplaced, direction: 'forward' });
}

/** The same for new nodes that an aborted run removes: their pods are replaced on the old nodes before they leave. */
export async function surgePodsBack(
  run: Run,
  { policy, unplaced = {} }: PoolPlan,
  waiting: readonly NodeRef[],
): Promise<readonly NodeRef[]> {
  if (!surgesPods(policy)) return waiting;
  const next = waiting.slice(0, maxNodesToSurge(policy));
  return await replacePods(run, { waiting: next, unplaced, direction: 'back' });
}

function nothingSurged(at: number): Done<PodSurgeResult> {
  return { outcome: 'done', at, batch: [], released: {}, evictedInstead: [] };
}

/** The step. While the run is paused, no pods are released; then it begins again with what it observes. Nothing pauses a run that rolls back. */
async function surge(
  run: Run,
  isForward: boolean,
  isOutdated: () => boolean,
  input: Omit<PodSurgeInput, keyof PoolStepInput>,
): Promise<Outcome<PodSurgeResult>> {
  const step = async () => await steps('surge pods').surgePods({ ...nextStep(run), ...input });
  while (!isOutdated()) {
    const outcome = isForward ? await runUnlessPaused(run, step) : await step();
    if (outcome !== undefined) return outcome;
    await awaitResumed(run, isOutdated);
  }
  return nothingSurged(run.state.now);
}

async function replacePods(run: Run, input: Omit<PodSurgeInput, keyof PoolStepInput>): Promise<readonly NodeRef[]> {
  const isForward = input.direction === 'forward';
  const before = isForward ? run.state.evictedInstead : [];
  // After a skip, other nodes are next.
  const isOutdated = () => leftOf(run.state, input.waiting).length < input.waiting.length;
  const known = {
    ...input,
    baselines: run.state.baselines,
    ...(before.length === 0 ? {} : { evictedInstead: before }),
  };
  const { batch, released, evictedInstead, aside, at } = await runUntilDone(
    run,
    `replacements for the pods of ${count(input.waiting.length, 'node')}`,
    async () => await surge(run, isForward, isOutdated, known),
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
