import { readVersion } from '../../adapters/package/version.ts';
import { type ClusterOptions, clusterOptionsOf } from '../cluster-options.ts';
import { connectTemporal } from '../connect.ts';
import { checkCalendars } from '../doctor/calendars.ts';
import type { Check } from '../doctor/check.ts';
import { checkPolicy } from '../doctor/policy.ts';
import { renderChecks } from '../doctor/render-checks.ts';
import { checkTemporal } from '../doctor/temporal.ts';
import { readRunningRuns } from '../list-runs.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { type OutputFormat, printData } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { taskQueue } from '../task-queue.ts';

/** Options of `doctor`. */
interface DoctorOptions extends ClusterOptions {
  /** Policy whose cluster and cloud are checked too. */
  readonly file?: string;
  readonly output: OutputFormat;
}

/** Prints whether everything that nodeferry needs is there. Changes nothing. */
export async function doctorCommand({ file, output, ...options }: DoctorOptions): Promise<ExitCode> {
  // Loading takes as long as it takes on a busy computer. Only the time of the remote systems is limited.
  await import('@temporalio/client');
  const connecting = connectTemporal();
  // Who waits for it reports the failure.
  connecting.catch(() => undefined);
  try {
    const [temporal, others] = await Promise.all([
      checkTemporal(connecting, { taskQueue: taskQueue(), version: readVersion(), now: Date.now() }),
      file === undefined ? [] : checkPolicyAndSystems(file, clusterOptionsOf(options), connecting),
    ]);
    const checks = [...temporal.checks, ...others];
    printData(output, checks, () => renderChecks(checks, styleFor(process.stdout)).join('\n'));
    if (!temporal.isReachable) return exitCodes.unreachable;
    return checks.every(({ state }) => state === 'ok' || state === 'warning') ? exitCodes.ok : exitCodes.failed;
  } finally {
    await connecting.then(
      async (connection) => await connection.close(),
      () => undefined,
    );
  }
}

async function checkPolicyAndSystems(
  file: string,
  options: ClusterOptions,
  connecting: ReturnType<typeof connectTemporal>,
): Promise<readonly Check[]> {
  const { check, policy } = checkPolicy(file);
  // Loaded on demand: without a policy, nothing needs the SDKs of the cluster and of the cloud.
  const { checkOwnSystems } = await import('../doctor/policy-systems.ts');
  const readRunning = async (cluster: string) => await readRunningRuns(await connecting, cluster);
  const [calendars, systems] = await Promise.all([
    policy === undefined ? [] : checkCalendars(policy, Date.now()),
    checkOwnSystems(options, { policy, readRunning }),
  ]);
  return [check, ...calendars, ...systems];
}
