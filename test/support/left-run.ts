import type { Policy } from '../../core/policy/policy.ts';
import type { RunReport } from '../../core/status/status.ts';
import type { Session } from '../../demo/session.ts';
import { sendToRun } from './describe-run.ts';
import { followToEnd } from './follow-to-end.ts';

/** So often a run is resumed that needs an operator: what it waits for is over, or will not come. */
const maxResumes = 5;

/**
 * Ends the run that a test left behind when it failed, so that only that test has failed: the next upgrade of the pool could not start. The run
 * has a worker again and continues; one that still needs an operator after some resumes is aborted.
 */
export async function finishLeftRun(session: Session, policy: Policy): Promise<RunReport> {
  process.stderr.write(
    `* an earlier test left the run from ${policy.pool.name} to ${policy.target.poolName}: it is ended first\n`,
  );
  await session.killWorker();
  session.startWorker();
  let resumes = 0;
  return await followToEnd(session, policy, async ({ stalled, paused }) => {
    if (resumes > maxResumes || (stalled === undefined && paused === undefined)) return;
    const command = resumes === maxResumes ? 'abort' : 'resume';
    resumes += 1;
    // Refused when the run has continued by itself meanwhile.
    await sendToRun(session, policy, command).catch(() => undefined);
  });
}
