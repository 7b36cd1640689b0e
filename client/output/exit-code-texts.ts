import { exitCodes } from './exit-codes.ts';

/** What every exit code means. The table in docs/cli.md says the same at greater length. */
export const exitCodeTexts: Readonly<Record<(typeof exitCodes)[keyof typeof exitCodes], string>> = {
  [exitCodes.ok]: 'Done, or everything is fine.',
  [exitCodes.failed]:
    'Failed, or the plan has blockers, or an audit found a blocker or an error. Also for a run that has ended without a report.',
  [exitCodes.stalled]:
    'An operator is needed: the run is paused, stalled or waits for approval, or a cleanup is not complete.',
  [exitCodes.aborted]: 'The run was aborted or rolled back. Its outcome says which: nodeferry report CLUSTER/POOL',
  [exitCodes.lossy]: 'Every node was replaced, but the probes lost requests that may be caused by the run.',
  [exitCodes.unmeasured]:
    'Every node was replaced, but nothing was measured: the policy has no probes, or they sent nothing. Or an audit found nothing to fix, but could not read the load balancers.',
  [exitCodes.lostByOthers]:
    'Every node was replaced, and the probes lost requests only while no node of the run was out of its load balancers.',
  [exitCodes.usage]: 'The command line or the policy is wrong. Nothing was started.',
  [exitCodes.unreachable]:
    'Temporal, the cluster, the cloud or a worker does not answer. What was requested was not done, unless the message says that this is not known.',
  [exitCodes.forbidden]: 'Credentials are missing, or do not allow what is needed.',
  [exitCodes.timedOut]: 'Stopped watching after --timeout. The run continues.',
  [exitCodes.detached]: 'Ended by Ctrl-C. A run that was started continues.',
};
