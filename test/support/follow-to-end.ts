import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Policy } from '../../core/policy/policy.ts';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import { followLabUpgrade } from '../../demo/lab-upgrade.ts';
import type { Session } from '../../demo/session.ts';

/** Far above what any upgrade in the lab takes, and below the time limit of a test, ms. */
const maxUpgradeMs = 720_000;

/** Characters of the worker's log that are told when an upgrade does not end. */
const toldOfLog = 6_000;

/**
 * Follows an upgrade to its end. One that does not end, because it waits for an operator or for something that never comes, rejects
 * with what it was seen to do last and with the end of the worker's log: a test that only runs out of time tells nobody why.
 */
export async function followToEnd(
  session: Session,
  policy: Policy,
  onStatus: (status: RunStatus) => void | Promise<void> = () => undefined,
): Promise<RunReport> {
  let last: RunStatus | undefined;
  const tooLong = AbortSignal.timeout(maxUpgradeMs);
  try {
    return await followLabUpgrade(
      session,
      policy,
      async (status) => {
        last = status;
        await onStatus(status);
      },
      tooLong,
    );
  } catch (error) {
    if (!tooLong.aborted) throw error;
    const log = readFileSync(join(session.directory, 'worker.log'), 'utf8').slice(-toldOfLog);
    const seen = JSON.stringify(last, undefined, 1);
    throw new Error(`the upgrade did not end within ${maxUpgradeMs / 1000} s; last seen: ${seen}\n${log}`);
  }
}
