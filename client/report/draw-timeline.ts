/** The timeline of a run as an inline SVG: one row for each node, grouped by zone, with minutes from left to right. */
import { stepOf } from '../../core/steps/steps.ts';
import { count, formatDuration } from '../../core/text/format.ts';
import { escapeHtml } from './escape-html.ts';
import { isThin, layOut, type PlacedRow } from './lay-out-rows.ts';
import { formatMinutes, minuteTicks } from './minute-ticks.ts';
import type { LossMark, Timeline } from './timeline.ts';

/** Lengths in units of the picture, which is scaled to the page. */
const width = 960;
const chartLeft = 190;
const chartRight = width - 10;
const top = 36;

/** A bar below this width has no room for the number of its step. */
const minWidthWithNumber = 12;

/** Two labels of losses closer than this would overlap. */
const minLabelDistance = 70;

/** Draws the timeline. Every text in it is escaped. */
export function drawTimeline(timeline: Timeline): string {
  const layout = layOut(timeline, top);
  const bottom = layout.bottom;
  return [
    `<svg viewBox="0 0 ${width} ${bottom + 40}" role="img" aria-labelledby="timeline-title timeline-text">`,
    '<title id="timeline-title">Timeline of the nodes</title>',
    `<desc id="timeline-text">${describe(timeline)}</desc>`,
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>',
    ...drawAxis(timeline, bottom),
    ...layout.headings.map(({ text, y }) => `<text class="zone" x="4" y="${y}">${escapeHtml(text)}</text>`),
    ...layout.labels.map(
      ({ text, y }) => `<text x="${chartLeft - 6}" y="${y}" text-anchor="end">${escapeHtml(text)}</text>`,
    ),
    ...layout.rows.map((row) => drawRow(row, timeline)),
    ...drawUnwatched(timeline, bottom),
    ...drawLosses(timeline, bottom),
    '</svg>',
  ].join('\n');
}

function describe({ zones, losses, from, to }: Timeline): string {
  const nodes = zones.reduce((sum, { rows }) => sum + rows.length, 0);
  const lost = losses.reduce((sum, loss) => sum + loss.lost, 0);
  const marked =
    losses.length === 0 ? 'No lost requests are marked on it.' : `${count(lost, 'lost request')} marked on it.`;
  return `${count(nodes, 'node')} in ${count(zones.length, 'zone')}, over ${formatDuration(to - from)}. ${marked} The tables below have the times.`;
}

function drawAxis({ from, to }: Timeline, bottom: number): readonly string[] {
  const ticks = minuteTicks(to - from).flatMap((minutes) => {
    const x = xOf(from + minutes * 60_000, { from, to });
    return [
      `<line class="grid" x1="${x}" y1="${top - 6}" x2="${x}" y2="${bottom}"/>`,
      `<text x="${x}" y="${bottom + 14}" text-anchor="middle">${formatMinutes(minutes)}</text>`,
    ];
  });
  const middle = (chartLeft + chartRight) / 2;
  return [...ticks, `<text x="${middle}" y="${bottom + 32}" text-anchor="middle">minutes after the start</text>`];
}

function drawRow({ row, y, height }: PlacedRow, timeline: Timeline): string {
  const { node, bars } = row;
  const thin = isThin(height);
  const told = bars.map(({ step, from, to }) => `${stepOf(step).label} ${spanOf(from, to, timeline)}`);
  const drawn = bars.map(({ step, from, to }, index) => {
    const x = xOf(from, timeline);
    const length = Math.max(1, round(xOf(to, timeline) - x));
    const rect = `class="${step}" x="${x}" y="${y}" width="${length}" height="${height}"`;
    if (thin) return `<rect ${rect}/>`;
    const number = timeline.steps.indexOf(step) + 1;
    const text =
      length < minWidthWithNumber
        ? ''
        : `<text class="number" x="${round(x + length / 2)}" y="${y + height - 4}" text-anchor="middle">${number}</text>`;
    return `<rect ${rect}><title>${escapeHtml(`${node.name}: ${told[index] ?? ''}`)}</title></rect>${text}`;
  });
  const title = `${node.name}: ${told.length === 0 ? 'nothing observed' : told.join('; ')}`;
  return `<g class="row"><title>${escapeHtml(title)}</title>${drawn.join('')}</g>`;
}

function drawUnwatched(timeline: Timeline, bottom: number): readonly string[] {
  return timeline.unwatched.map((period) => {
    const x = xOf(period.from, timeline);
    const length = Math.max(2, round(xOf(period.to, timeline) - x));
    const title = `not watched ${spanOf(period.from, period.to, timeline)}`;
    return `<rect class="unwatched" x="${x}" y="${top - 6}" width="${length}" height="${bottom - top + 6}"><title>${escapeHtml(title)}</title></rect>`;
  });
}

function drawLosses(timeline: Timeline, bottom: number): readonly string[] {
  let labelled = Number.NEGATIVE_INFINITY;
  return timeline.losses
    .toSorted((a, b) => a.from - b.from)
    .map((loss) => {
      const x = xOf(loss.from, timeline);
      const length = Math.max(2, round(xOf(loss.to, timeline) - x));
      const title = `<title>${escapeHtml(explainLoss(loss, timeline))}</title>`;
      const rect = `<rect x="${x}" y="${top - 10}" width="${length}" height="${bottom - top + 10}"/>`;
      const hasRoom = x - labelled >= minLabelDistance;
      if (hasRoom) labelled = x;
      const anchor = x > chartRight - minLabelDistance ? 'end' : 'start';
      const label = hasRoom ? `<text x="${x}" y="${top - 14}" text-anchor="${anchor}">✖ ${loss.lost} lost</text>` : '';
      return `<g class="loss${loss.canBeOurs ? '' : ' others'}">${title}${rect}${label}</g>`;
    });
}

function explainLoss({ probe, lost, canBeOurs, from, to }: LossMark, timeline: Timeline): string {
  const whose = canBeOurs ? 'while nodes of the run were out' : 'while no node of the run was out';
  return `${probe} lost ${lost} ${spanOf(from, to, timeline)}, ${whose}`;
}

/** `from 1.5 to 2 min`, after the start of the run. */
function spanOf(from: number, to: number, timeline: Timeline): string {
  const minutes = (at: number) => formatMinutes(Math.round((at - timeline.from) / 600) / 100);
  return `from ${minutes(from)} to ${minutes(to)} min`;
}

function xOf(at: number, { from, to }: Pick<Timeline, 'from' | 'to'>): number {
  const share = Math.min(1, Math.max(0, (at - from) / (to - from)));
  return round(chartLeft + share * (chartRight - chartLeft));
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}
