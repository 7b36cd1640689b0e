import { stepOf } from '../../core/steps/steps.ts';
import { formatDuration } from '../../core/text/format.ts';
import type { Table } from './document.ts';
import type { Timeline } from './timeline.ts';

/** How long nodes were in each step: in the middle, and at most. Nothing when no node was in any. */
export function timePerStep({ steps, zones }: Timeline): readonly Table[] {
  const rows = zones.flatMap((zone) => zone.rows);
  const lines = steps.map((step) => {
    const times = rows
      .map(({ node, bars }) => ({
        name: node.name,
        ms: bars.reduce((sum, bar) => sum + (bar.step === step ? bar.to - bar.from : 0), 0),
      }))
      .filter(({ ms }) => ms > 0)
      .toSorted((a, b) => b.ms - a.ms);
    const median = times[Math.floor(times.length / 2)]?.ms ?? 0;
    const [longest] = times;
    return [
      stepOf(step).label,
      String(times.length),
      formatDuration(median),
      longest === undefined ? '' : `${formatDuration(longest.ms)} (${longest.name})`,
    ];
  });
  const head = ['Step', 'Nodes', 'Median', 'Longest'];
  return lines.length === 0 ? [] : [{ caption: 'Where the time of the nodes went', head, rows: lines }];
}
