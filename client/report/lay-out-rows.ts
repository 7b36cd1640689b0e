/** Where the rows of a timeline are drawn. A few nodes have a row with a name each; many have thin rows, and a name for each batch. */
import { cleanText } from './clean-text.ts';
import type { Timeline, TimelineRow } from './timeline.ts';

/** Up to this many nodes have a name each. */
const maxNamed = 60;

/** Lengths in units of the picture. */
const namedHeight = 14;
const thinHeight = 3;
const gap = 2;
const labelHeight = 14;
const headingHeight = 22;

/** In a picture of thin rows, nodes belong together if they were excluded within this share of its length: nobody sees less. */
const sameMoment = 1 / 400;

/** The most characters that a label has room for. */
const maxLabel = 30;

/** A row and its place. */
export interface PlacedRow {
  readonly row: TimelineRow;
  readonly y: number;
  readonly height: number;
}

/** A text and the y of its baseline. */
interface PlacedText {
  readonly text: string;
  readonly y: number;
}

/** Everything in its place. */
interface Layout {
  readonly rows: readonly PlacedRow[];
  /** Names of zones. */
  readonly headings: readonly PlacedText[];
  /** Names of nodes or of batches. */
  readonly labels: readonly PlacedText[];
  readonly bottom: number;
}

/** Whether rows of this height have no room for anything but their bars. */
export function isThin(height: number): boolean {
  return height < namedHeight;
}

/** Places the rows below `top`. */
export function layOut(timeline: Timeline, top: number): Layout {
  const all = timeline.zones.reduce((sum, { rows }) => sum + rows.length, 0);
  const hasNames = all <= maxNamed;
  const height = hasNames ? namedHeight : thinHeight;
  const rows: PlacedRow[] = [];
  const headings: PlacedText[] = [];
  const labels: PlacedText[] = [];
  let y = top;
  for (const zone of timeline.zones) {
    headings.push({ text: shorten(zone.zone === '' ? 'no zone' : zone.zone), y: y + 14 });
    y += headingHeight;
    for (const batch of hasNames ? zone.rows.map((row) => [row]) : batchesOf(zone.rows, timeline)) {
      labels.push({ text: labelOf(batch), y: y + 11 });
      const begin = y;
      for (const row of batch) {
        rows.push({ row, y, height });
        y += height + (hasNames ? gap : 0);
      }
      y = Math.max(y, begin + labelHeight) + gap;
    }
  }
  return { rows, headings, labels, bottom: y };
}

/** Rows that leave together; the rows are in the order in which they leave. */
function batchesOf(rows: readonly TimelineRow[], { from, to }: Timeline): readonly (readonly TimelineRow[])[] {
  const batches: TimelineRow[][] = [];
  let begin = Number.NaN;
  for (const row of rows) {
    const at = row.bars.find(({ step }) => step !== 'pending')?.from ?? to;
    if (Math.abs(at - begin) <= (to - from) * sameMoment) batches.at(-1)?.push(row);
    else {
      batches.push([row]);
      begin = at;
    }
  }
  return batches;
}

function labelOf(batch: readonly TimelineRow[]): string {
  // Without the domain, as in `ip-10-0-1-7.eu-west-1.compute.internal`, which all nodes share.
  const [first = ''] = batch[0]?.node.name.split('.') ?? [];
  if (batch.length === 1) return shorten(first);
  const others = ` and ${batch.length - 1} more`;
  return `${shorten(first, maxLabel - others.length)}${others}`;
}

/** Nodes of some clouds differ only at the end of their names, so the middle is left out. */
function shorten(text: string, max = maxLabel): string {
  const clean = cleanText(text);
  if (clean.length <= max) return clean;
  const half = Math.floor((max - 1) / 2);
  return `${clean.slice(0, half).toWellFormed()}…${clean.slice(-half).toWellFormed()}`;
}
