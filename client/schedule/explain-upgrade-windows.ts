import { formatRunTarget, runTargetOf } from '../run-target.ts';
import { readOpenings } from './read-openings.ts';
import type { ScheduledPolicy } from './scheduled-policy.ts';

/** Says what a run of this policy that starts now (epoch ms) waits for, and how to continue at once. */
export async function explainUpgradeWindows(policy: ScheduledPolicy, now: number): Promise<string> {
  const { state, isOpen } = await readOpenings(policy, now);
  if (isOpen) return `Its upgrade window is ${state}; what does not fit into it waits for the next one.`;
  const name = formatRunTarget(runTargetOf(policy));
  return (
    `It checks the cluster now, and replaces nodes in its upgrade windows only: ${state}\n` +
    `To continue at once: nodeferry override-window ${name} --reason <why>`
  );
}
