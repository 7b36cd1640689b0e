import { formatDuration } from '../text/format.ts';
import type { RunStatus } from './status.ts';

/** What the probes of a run saw, in one line. A run without probes measured nothing, which is not the same as no loss. */
export function explainTraffic({ traffic, probes }: Pick<RunStatus, 'traffic' | 'probes'>): string {
  if (probes === 0) return 'not measured: the policy has no probes';
  const { sent, lost, slow, unwatchedMs = 0 } = traffic;
  const gap = unwatchedMs === 0 ? '' : `; nobody watched for ${formatDuration(unwatchedMs)}, while no worker ran`;
  return `${sent} sent, ${lost} lost, ${slow} slow${gap}`;
}
