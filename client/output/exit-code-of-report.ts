import { lostByUs } from '../../core/status/losses.ts';
import type { RunReport } from '../../core/status/status.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** The exit code for a finished run. */
export function exitCodeOfReport({ outcome, probes, traffic, drain }: RunReport): ExitCode {
  switch (outcome) {
    case 'completed':
      // A drain is called like `kubectl drain`, which measures nothing either.
      if (probes === 0 && drain !== undefined) return exitCodes.ok;
      if (probes === 0 || traffic.sent === 0) return exitCodes.unmeasured;
      if (lostByUs(traffic) > 0) return exitCodes.lossy;
      return traffic.lost > 0 ? exitCodes.lostByOthers : exitCodes.ok;
    case 'aborted':
    case 'rolled-back':
      return exitCodes.aborted;
    case 'failed':
      return exitCodes.failed;
  }
}
