import { formatLongDuration } from '../../core/text/format.ts';
import type { TemporalConnection } from '../connect.ts';
import type { Check } from './check.ts';

/** Reports of finished runs should stay readable over a weekend, ms. */
const minRetentionMs = 3 * 86_400_000;

/** Checks the version of the server. */
export async function checkServer(connection: TemporalConnection): Promise<readonly Check[]> {
  const { serverVersion } = await connection.within(() => connection.client.workflowService.getSystemInfo({}));
  return [{ id: 'temporal.server', state: 'ok', found: `version ${serverVersion} at ${connection.address}` }];
}

/** Checks that the namespace exists, and how long it keeps runs that have ended. */
export async function checkNamespace(connection: TemporalConnection): Promise<readonly Check[]> {
  const { client, namespace } = connection;
  const { config } = await connection.within(() => client.workflowService.describeNamespace({ namespace }));
  const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  const id = 'temporal.namespace';
  if (seconds === 0) return [{ id, state: 'ok', found: `${namespace} exists; how long it keeps runs is not known` }];
  const keeps = `${namespace} keeps runs that have ended for ${formatLongDuration(seconds * 1_000)}`;
  if (seconds * 1_000 >= minRetentionMs) return [{ id, state: 'ok', found: keeps }];
  return [
    {
      id,
      state: 'warning',
      found: `${keeps}; their reports vanish with them`,
      fix: `Keep them for three days or longer:\ntemporal operator namespace update --namespace ${namespace} --retention 72h`,
    },
  ];
}
