import { zoneRulesOf } from '../../../adapters/time-zones/zone-rules.ts';
import { diffPolicies } from '../../../core/policy/diff-policies.ts';
import type { PolicyDifference } from '../../../core/policy/policy-difference.ts';
import { formatDuration } from '../../../core/text/format.ts';
import { connectTemporal, operatorName, type TemporalConnection } from '../../connect.ts';
import { type ExitCode, exitCodes } from '../../output/exit-codes.ts';
import { readPolicyFile } from '../../output/policy-file.ts';
import { type OutputFormat, printData, printProgress } from '../../output/print.ts';
import { styleFor } from '../../output/style.ts';
import { formatRunTarget, type RunTarget } from '../../run-target.ts';
import { readOpenings } from '../../schedule/read-openings.ts';
import { renderOpenings } from '../../schedule/render-schedule.ts';
import type { ScheduleSettings } from '../../schedule/schedule-settings.ts';
import { requireSchedule, type ScheduledPolicy } from '../../schedule/scheduled-policy.ts';
import { createSchedule, findSchedule, replaceSchedule, type StoredSchedule } from '../../schedule/schedules.ts';
import { taskQueue } from '../../task-queue.ts';
import { printWarnings, settingsNow, targetOf } from './shared.ts';

/** Options of `schedule apply`. */
export interface ApplyOptions {
  readonly file: string;
  readonly dryRun: boolean;
  readonly output: OutputFormat;
}

/** What a schedule that was created or updated longer ago than this lacks: openings that clock changes move are dates, for ten years ahead. */
const renewAfterMs = 365 * 86_400_000;

/** What `schedule apply` does. */
type Change = 'create' | 'update' | 'renew' | 'none';

/**
 * Creates the schedule of a pool, or updates it if it differs from the policy, and says in which fields. It stays paused if it is. Applying
 * the same policy again changes nothing.
 */
export async function applyScheduleCommand({ file, dryRun, output }: ApplyOptions): Promise<ExitCode> {
  const policy = requireSchedule(readPolicyFile(file));
  const target = targetOf(policy);
  const now = Date.now();
  const settings = settingsNow(policy, now);
  const connection = await connectTemporal();
  try {
    const stored = await findSchedule(connection, target);
    const differences = stored === undefined ? [] : diffSchedules(stored, policy, settings);
    const change = changeOf(stored, differences, now);
    if (!dryRun) await execute(connection, change, target, settings);
    const openings = await readOpenings(policy, now);
    const paused = stored?.description.state.paused ?? false;
    printData(output, { ...target, change, dryRun, paused, differences, openings }, () =>
      [
        sentenceOf(change, dryRun, formatRunTarget(target)),
        ...differences.map(formatDifference),
        ...renderOpenings(openings, { now, zone: zoneRulesOf(openings.timeZone) }, styleFor(process.stdout)),
      ].join('\n'),
    );
    if (paused) printProgress(`It is paused and stays so: ${stored?.description.state.note ?? ''}`);
    await printWarnings(connection, openings, taskQueue());
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

async function execute(
  connection: TemporalConnection,
  change: Change,
  target: RunTarget,
  settings: ScheduleSettings,
): Promise<void> {
  switch (change) {
    case 'create':
      await createSchedule(connection, target, settings, { paused: false, note: `created by ${operatorName()}` });
      return;
    case 'update':
    case 'renew':
      await replaceSchedule(connection, target, settings);
      return;
    case 'none':
  }
}

function changeOf(stored: StoredSchedule | undefined, differences: readonly PolicyDifference[], now: number): Change {
  if (stored === undefined) return 'create';
  if (differences.length > 0) return 'update';
  const { lastUpdatedAt, createdAt } = stored.description.info;
  return now - (lastUpdatedAt ?? createdAt).getTime() > renewAfterMs ? 'renew' : 'none';
}

/** The differences of the policies, and those of the settings that do not come from them alone: somebody may have changed them by hand. */
function diffSchedules(
  { description, policy: storedPolicy }: StoredSchedule,
  policy: ScheduledPolicy,
  { action, policies }: ScheduleSettings,
): readonly PolicyDifference[] {
  const { overlap, catchupWindow, pauseOnFailure } = description.policies;
  const settings = [
    { field: 'task queue', from: description.action.taskQueue, to: action.taskQueue },
    { field: 'overlap policy', from: String(overlap), to: policies.overlap },
    { field: 'catch-up period', from: formatDuration(catchupWindow), to: formatDuration(policies.catchupWindow) },
    { field: 'pause on failure', from: String(pauseOnFailure), to: String(policies.pauseOnFailure) },
  ];
  return [...diffPolicies(storedPolicy, policy), ...settings.filter(({ from, to }) => from !== to)];
}

const sentences = {
  create: ['created', 'would be created'],
  update: ['updated', 'would be updated'],
  renew: ['renewed, because it is more than a year old', 'would be renewed, because it is more than a year old'],
  none: ['unchanged', 'unchanged'],
} as const satisfies Record<Change, readonly [string, string]>;

function sentenceOf(change: Change, dryRun: boolean, name: string): string {
  return `${name}: ${sentences[change][dryRun ? 1 : 0]}`;
}

function formatDifference({ field, from, to }: PolicyDifference): string {
  if (from === undefined) return `  + ${field}: ${to ?? ''}`;
  return to === undefined ? `  - ${field}: ${from}` : `  ~ ${field}: ${from} → ${to}`;
}
