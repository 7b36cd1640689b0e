import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { divideIntoStages } from '../../core/rollout/stages.ts';
import { describeWindow } from '../../core/schedule/describe-schedule.ts';
import { neededTime } from '../../core/schedule/needed-time.ts';
import { count, formatDuration, listNames } from '../../core/text/format.ts';

/** When a run may change something, and in which stages. Empty if it may at any time, in one stage, without approval. */
export function describeStages({ policy, nodes, expected }: PoolPlan): readonly string[] {
  const { schedule, rollout } = policy;
  const windows =
    schedule === undefined
      ? []
      : [`upgrade windows: ${schedule.windows.map((window) => describeWindow(window, schedule.timeZone)).join('; ')}`];
  const needed =
    schedule === undefined || expected === undefined
      ? []
      : [`new nodes and the first batch need an open window for ${neededTime('nodes', expected, {}).source}`];
  return [...windows, ...needed, ...(rollout === undefined ? [] : stagesOf(nodes, rollout))];
}

function stagesOf(nodes: PoolPlan['nodes'], rollout: NonNullable<PoolPlan['policy']['rollout']>): readonly string[] {
  const isStartApproved = rollout.approvals?.at.includes('start') === true;
  return divideIntoStages(nodes, rollout).map(({ nodes: stage, approval, soakMs = 0 }, index) => {
    const needs = index === 0 && isStartApproved ? 'start' : approval;
    const after = needs === undefined ? '' : `, after approval of ${needs}`;
    const soak = soakMs === 0 ? '' : `, then a soak of ${formatDuration(soakMs)}`;
    const names = listNames(stage.map(({ name }) => name));
    return `stage ${index + 1}${after}: ${count(stage.length, 'node')} (${names})${soak}`;
  });
}
