import { formatDuration, formatTime } from '../text/format.ts';
import { explainSplit, lostByUs } from './losses.ts';
import type { RunStatus } from './status.ts';
import type { TrafficCounts } from './traffic-counts.ts';

/** What the probes of a run measured, in one line. A run without probes measured nothing, which is not the same as no loss. */
export function describeTraffic({ traffic, probes }: Pick<RunStatus, 'traffic' | 'probes'>): string {
  if (probes === 0) return 'not measured: the policy has no probes';
  const { sent, lost, slow } = traffic;
  const whileNoneOut = lost - lostByUs(traffic);
  const split = whileNoneOut === 0 ? '' : ` (${explainSplit(lost, whileNoneOut)})`;
  return `${sent} sent, ${lost} lost${split}, ${slow} slow${explainGaps(traffic)}`;
}

function explainGaps({ unwatchedMs = 0, unwatched = [] }: TrafficCounts): string {
  if (unwatchedMs === 0) return '';
  const times = unwatched.map(({ from, to }) => `from ${formatTime(from)} to ${formatTime(to)}`);
  return `; not watched ${times.join(', ')} (${formatDuration(unwatchedMs)} in all)`;
}
