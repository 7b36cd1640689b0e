import type { RunStatus } from '../../core/status/status.ts';
import { connectTemporal, operatorName } from '../connect.ts';
import { fetchRun } from '../fetch-status.ts';
import { type OperatorCommand, sendCommand } from '../operator-command.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { formatRunTarget, type RunTarget } from '../run-target.ts';
import { renderTree } from '../view/tree.ts';

/** What happens after each command. */
const told = {
  pause: 'Paused: no further node is started; nodes in progress finish.',
  resume: 'Resumed: stalled steps are retried.',
  retry: 'Retried: the stalled step of this node begins again; other stalled nodes wait.',
  skip: 'Skipped: the node is restored if it was in progress, and stays in the old pool.',
  approve: 'Approved: the run continues.',
  reject: 'Rejected: nodes in progress finish or are restored, then everything else is restored.',
  'override-window': 'Overridden: the run no longer waits for its upgrade windows.',
  'set-concurrency': 'Changed: nodes that are in progress finish, and the next ones keep to the new number.',
  'accept-unprotected': 'Accepted: the Service may lose connections. What is stalled continues after a resume.',
  rollback:
    'Rolling back: nodes in progress finish or are restored, then the old pool gets its size again and all new nodes leave.',
  abort: 'Aborting: nodes in progress finish or are restored, then everything else is restored.',
} as const satisfies Record<OperatorCommand, string>;

/** Sends one command to a run and prints its status after that. */
export async function controlCommand(
  action: OperatorCommand,
  target: RunTarget,
  options: {
    readonly reason: string;
    readonly of?: string;
    readonly maxInFlight?: number;
    readonly node?: string;
    readonly service?: string;
    readonly output: OutputFormat;
  },
): Promise<ExitCode> {
  const connection = await connectTemporal();
  const impatience = new AbortController();
  const onInterrupt = () => impatience.abort();
  process.on('SIGINT', onInterrupt);
  try {
    const { output: _, ...asked } = options;
    const request = { by: operatorName(), ...asked };
    const taken = await sendCommand(connection, target, action, request, { impatience: impatience.signal });
    printProgress(
      taken === undefined
        ? `The run has taken the command (${action}) but not answered yet: see nodeferry status ${formatRunTarget(target)}`
        : told[action],
    );
    // The command was accepted, so it has succeeded, even if the status cannot be read.
    const status: RunStatus | undefined = await fetchRun(connection, target).then(
      (run) => run.status,
      () => undefined,
    );
    printData(options.output, status ?? taken ?? {}, () =>
      status === undefined ? '' : renderTree(status, Date.now(), styleFor(process.stdout)).join('\n'),
    );
    return exitCodes.ok;
  } finally {
    process.removeListener('SIGINT', onInterrupt);
    await connection.close();
  }
}
