import { type OperatorCommand, sendCommand } from '../../client/operator-command.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { Session } from '../../demo/session.ts';

/** A worker that is away for a test's sake is waited for, ms. */
const waitMs = 600_000;

/** Says to the run of a policy what an operator can say to it; rejects when the run refuses. */
export async function sendToRun(
  { connection }: Session,
  { cluster, pool }: Policy,
  command: OperatorCommand,
): Promise<void> {
  const target = { cluster: cluster.name, pool: pool.name };
  await sendCommand(connection, target, command, { by: 'operator', reason: 'a test' }, { waitMs });
}
