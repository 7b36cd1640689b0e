import { controls } from '../../client/commands/control.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { Session } from '../../lab/demo/session.ts';
import { poolUpgradeId } from '../../workflows/messages.ts';

/** Says to the run of a policy what an operator can say to it; rejects when the run refuses. */
export async function tellRun(
  { connection }: Session,
  { cluster, pool }: Policy,
  action: keyof typeof controls,
): Promise<void> {
  const handle = connection.client.workflow.getHandle(poolUpgradeId(cluster.name, pool.name));
  await handle.executeUpdate(controls[action].update, { args: [{ by: 'operator', reason: 'a test' }] });
}
