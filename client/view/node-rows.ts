import stringWidth from 'string-width';
import type { NodeRow } from '../../core/status/describe-nodes.ts';
import { explainDeadline, explainSince } from '../../core/status/explain-waiting.ts';
import { count, formatLongDuration, listNames } from '../../core/text/format.ts';
import type { Style } from '../output/style.ts';
import { noteDomain, sharedDomain, withoutDomain } from './node-names.ts';
import { renderTable } from './table.ts';

/** What is shown in columns. The rest moves below the row, or is left out. */
interface Layout {
  /** End of all names, with its dot, that is left out of them. */
  readonly domain: string;
  /** Whether the reason has a column. */
  readonly reason: boolean;
  /** Whether a deadline also has its time of day. */
  readonly clock: boolean;
}

/** Columns before a row: its branch, its icon and a space. */
const beforeRow = 5;

/** Nodes in columns, as many as fit into the terminal, and below each row its details. */
export function renderNodes(rows: readonly NodeRow[], now: number, style: Style): string[] {
  if (rows.length === 0) return [];
  const domain = sharedDomain(rows.flatMap(({ names }) => names));
  const narrowest: Layout = { domain, reason: false, clock: false };
  const layouts: readonly Layout[] = [
    { domain: '', reason: true, clock: true },
    { domain, reason: true, clock: true },
    { domain, reason: false, clock: true },
  ];
  const tables = layouts.map((layout) => ({ layout, table: tableOf(rows, layout, now, style) }));
  const { width = Number.POSITIVE_INFINITY } = style;
  const fits = (line: string) => stringWidth(line) + beforeRow <= width;
  const fitting = tables.find(({ layout, table }) =>
    [...table, ...rows.map((row) => membersOf(row, layout))].every(fits),
  );
  const { layout, table } = fitting ?? { layout: narrowest, table: tableOf(rows, narrowest, now, style) };
  const [titles = '', ...cells] = table;
  const lines = rows.flatMap((row, index) => {
    const isLast = index === rows.length - 1;
    const indent = isLast ? style.branch.gap : style.branch.pipe;
    const branch = isLast ? style.branch.last : style.branch.middle;
    return [
      `${branch}${style.paint(row.tone, style.icons[row.state])} ${cells[index] ?? ''}`,
      ...beneath(row, layout, style).map((text) => `${indent}  ${text}`),
    ];
  });
  const note = noteDomain(layout.domain).map((text) => `${style.branch.gap}  ${style.paint('dim', text)}`);
  return [`${style.branch.gap}  ${style.paint('dim', titles)}`, ...lines, ...note];
}

function tableOf(rows: readonly NodeRow[], layout: Layout, now: number, style: Style): string[] {
  const titles = ['NAME', 'ZONE', 'STEP', 'SINCE', 'DEADLINE', ...(layout.reason ? ['REASON'] : [])];
  return renderTable([titles, ...rows.map((row) => cellsOf(row, layout, now, style))]);
}

function cellsOf(row: NodeRow, layout: Layout, now: number, style: Style): readonly string[] {
  const { names, zone = '', step, tone, since, until, reason } = row;
  const [name = '', ...others] = names;
  const soon = until !== undefined && until > now && !layout.clock;
  return [
    others.length === 0 ? withoutDomain(name, layout.domain) : count(names.length, 'node'),
    zone,
    style.paint(tone, step),
    since === undefined ? '' : explainSince(since, now),
    soon ? `in ${formatLongDuration(until - now)}` : explainDeadline(until, now),
    ...(layout.reason ? [reason] : []),
  ];
}

/** The nodes of a row that stands for several; empty for a single one. */
function membersOf({ names }: NodeRow, layout: Layout): string {
  return names.length === 1 ? '' : listNames(names.map((name) => withoutDomain(name, layout.domain)));
}

function beneath(row: NodeRow, layout: Layout, style: Style): readonly string[] {
  const { names, reason, sentences } = row;
  const members = names.length === 1 ? [] : [style.paint('dim', membersOf(row, layout))];
  // Sentences say more than the word in the column.
  const why = layout.reason || reason === '' || sentences.length > 0 ? [] : [reason];
  const told = sentences.map(({ tone, text }) => (tone === undefined ? text : style.paint(tone, text)));
  return [...members, ...why, ...told];
}
