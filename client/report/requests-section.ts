import type { Line, Tone } from '../../core/status/line.ts';
import { explainLosses, explainSplit, lostByUs } from '../../core/status/losses.ts';
import type { RunReport } from '../../core/status/status.ts';
import type { TrafficCounts } from '../../core/status/traffic-counts.ts';
import { count, formatDuration } from '../../core/text/format.ts';
import { type Figure, listOf, paragraph, plain, type Section } from './document.ts';
import { formatMoment } from './format-moment.ts';

/** Whether a run sent requests at all. If it did not, it cannot know what was lost. */
export function isMeasured({ probes, traffic }: Pick<RunReport, 'probes' | 'traffic'>): boolean {
  return probes > 0 && traffic.sent > 0;
}

/** How many requests were sent and lost, by which probe and when; or that nothing was measured. */
export function requestsSection(report: RunReport): Section {
  const heading = 'Requests';
  const { probes, traffic } = report;
  if (!isMeasured(report)) {
    const why = probes === 0 ? 'the policy has no probes' : `${count(probes, 'probe')} sent nothing`;
    const text = `Not measured: ${why}. Nobody knows whether requests were lost.`;
    return { heading, blocks: [paragraph({ tone: 'warn', text }), ...listOf(unwatched(report))] };
  }
  const figures: readonly Figure[] = [
    { name: 'sent', value: plain(String(traffic.sent)) },
    { name: 'lost', value: lostFigure(report) },
    { name: 'slow', value: plain(String(traffic.slow)) },
    { name: 'not measured', value: notMeasured(report) },
  ];
  return {
    heading,
    blocks: [{ kind: 'figures', figures }, ...listOf(explainLosses(traffic).map(plain)), ...listOf(unwatched(report))],
  };
}

function lostFigure({ traffic }: RunReport): Line {
  const { lost } = traffic;
  const ours = lostByUs(traffic);
  const split = ours === lost ? '' : ` (${explainSplit(lost, lost - ours)})`;
  return { tone: toneOfLosses(traffic), text: `${lost}${split}` };
}

/** What losses mean for a run: those that it cannot have caused are only worth a warning. */
export function toneOfLosses(traffic: TrafficCounts): Tone {
  if (traffic.lost === 0) return 'good';
  return lostByUs(traffic) > 0 ? 'bad' : 'warn';
}

function notMeasured({ traffic: { unwatchedMs = 0 } }: RunReport): Line {
  return unwatchedMs === 0 ? plain('0s') : { tone: 'warn', text: formatDuration(unwatchedMs) };
}

/** The periods without a probe. Only the latest are known if there were many. */
function unwatched({ traffic: { unwatched: periods = [] } }: RunReport): readonly Line[] {
  return periods.map(({ from, to }) => ({
    tone: 'warn',
    text: `not watched from ${formatMoment(from)} to ${formatMoment(to)} (${formatDuration(to - from)})`,
  }));
}
