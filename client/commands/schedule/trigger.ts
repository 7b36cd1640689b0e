import { setTimeout as delay } from 'node:timers/promises';
import { NodeferryError } from '../../../core/model/problem.ts';
import { connectTemporal, type TemporalConnection } from '../../connect.ts';
import { noWorker } from '../../no-answer.ts';
import { type ExitCode, exitCodes } from '../../output/exit-codes.ts';
import { answerUnlessInterrupted } from '../../output/interrupt.ts';
import { type OutputFormat, printData, printProgress } from '../../output/print.ts';
import { formatRunTarget, type RunTarget } from '../../run-target.ts';
import { explainUpgradeWindows } from '../../schedule/explain-upgrade-windows.ts';
import { type Launch, readLaunches } from '../../schedule/launches.ts';
import { readSchedule, type StoredSchedule, triggerSchedule } from '../../schedule/schedules.ts';
import { findRun, type RunUnderWay } from '../../schedule/seen-schedule.ts';
import { isPolled } from '../../worker-presence.ts';

/** How long Temporal and a worker may take until the upgrade has started, ms. */
const patienceMs = 15_000;
const pollIntervalMs = 250;

/** What a trigger has led to within a moment. */
interface Triggered {
  /** Undefined: Temporal has not started the launcher yet. */
  readonly launch: Launch | undefined;
  /** Undefined: no upgrade has started. */
  readonly run: RunUnderWay | undefined;
}

/**
 * Starts the upgrade of a schedule now, as an opening would. Refused while an upgrade of the pool is under way, and where no worker polls: it
 * would begin whenever one starts, when nobody may be watching any more.
 */
export async function triggerScheduleCommand(
  target: RunTarget,
  { output }: { readonly output: OutputFormat },
): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const stored = await readSchedule(connection, target);
    await requireIdle(connection, target, stored);
    const { taskQueue } = stored.description.action;
    if (!(await isPolled(connection, taskQueue)))
      throw noWorker(`no worker polls task queue ${taskQueue}, so nothing was started`);
    await triggerSchedule(connection, target);
    const see = `nodeferry schedule describe ${formatRunTarget(target)}`;
    const triggered = await answerUnlessInterrupted(
      untilStarted(connection, target, stored),
      `Interrupted. The schedule was triggered; whether its upgrade has started is not known.\nSee: ${see}`,
    );
    printData(output, { ...target, ...triggered }, () => triggered.launch?.workflowId ?? '');
    return await report(target, stored, triggered);
  } finally {
    await connection.close();
  }
}

/** A trigger beside a running launch would be skipped without a word. */
async function requireIdle(
  connection: TemporalConnection,
  target: RunTarget,
  { description }: StoredSchedule,
): Promise<void> {
  const name = formatRunTarget(target);
  const isUnderWay = (await findRun(connection, target)) !== undefined;
  if (!isUnderWay && description.info.runningActions.length === 0) return;
  throw new NodeferryError({
    code: 'AlreadyRunning',
    message: `An upgrade of ${name} is under way already; nothing was started.`,
    hint: `Watch it: nodeferry watch ${name}   or end it first: nodeferry abort ${name}`,
  });
}

async function untilStarted(
  connection: TemporalConnection,
  target: RunTarget,
  before: StoredSchedule,
): Promise<Triggered> {
  const known = new Set(before.description.info.recentActions.map(({ action }) => action.workflow.workflowId));
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const { description } = await readSchedule(connection, target);
    const actions = description.info.recentActions.filter(({ action }) => !known.has(action.workflow.workflowId));
    const [launch] = await readLaunches(connection, actions);
    const run = launch?.outcome === 'running' ? await findRun(connection, target) : undefined;
    const hasEnded = launch !== undefined && launch.outcome !== 'running';
    if (run !== undefined || hasEnded || Date.now() > giveUpAt) return { launch, run };
    await delay(pollIntervalMs);
  }
}

async function report(
  target: RunTarget,
  { description, policy }: StoredSchedule,
  { launch, run }: Triggered,
): Promise<ExitCode> {
  const name = formatRunTarget(target);
  if (description.state.paused) printProgress('The schedule is paused and stays so.');
  if (run !== undefined) {
    printProgress(`Started the upgrade of ${name} (workflow ${run.workflowId}).`);
    printProgress(await explainUpgradeWindows(policy, Date.now()));
    printProgress(`Watch it: nodeferry watch ${name}`);
    return exitCodes.ok;
  }
  if (launch === undefined || launch.outcome === 'running') {
    printProgress(`Triggered, but no upgrade has started yet. See: nodeferry schedule describe ${name}`);
    return exitCodes.ok;
  }
  switch (launch.outcome) {
    case 'started':
      printProgress(`The upgrade of ${name} has ended already: ${launch.detail}`);
      return exitCodes.ok;
    case 'skipped':
      printProgress(`Nothing was started: ${launch.detail}.`);
      return exitCodes.ok;
    default:
      printProgress(`The launch has ended (${launch.outcome}): ${launch.detail}. The schedule pauses after a failure.`);
      return exitCodes.failed;
  }
}
