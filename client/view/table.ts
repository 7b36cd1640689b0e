import stringWidth from 'string-width';
import { breakText } from './wrap.ts';

/** Separates two columns. */
const gap = '   ';

/** Minimum width of a column that can be read. */
const narrowestColumn = 8;

/**
 * Aligns rows in columns; the first row is the header. Widths count what a terminal shows, not code units. If the terminal, `width` columns wide,
 * has no space for that, long cells continue on the next line. If it has no space for columns at all, each row becomes a paragraph.
 */
export function renderTable(rows: readonly (readonly string[])[], width?: number): string[] {
  const natural = widthsOf(rows);
  const widths = width === undefined || width < narrowestColumn ? natural : shrink(natural, width);
  if (widths === undefined) return renderParagraphs(rows, width ?? 0);
  return rows.flatMap((row) => renderRow(row, widths));
}

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell));
    });
  }
  return widths;
}

/** Narrows the widest columns until everything fits; undefined when the result could not be read. */
function shrink(natural: readonly number[], width: number): readonly number[] | undefined {
  const room = width - gap.length * (natural.length - 1);
  const fits = (most: number) => natural.reduce((sum, one) => sum + Math.min(one, most), 0) <= room;
  let most = Math.max(0, ...natural);
  while (!fits(most)) {
    most -= 1;
    if (most < narrowestColumn) return undefined;
  }
  return natural.map((one) => Math.min(one, most));
}

function renderRow(row: readonly string[], widths: readonly number[]): string[] {
  const cells = row.map((cell, column) => breakText(cell, widths[column] ?? 0));
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, column) => pad(lines[line] ?? '', widths[column] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** Each row by itself: its first cell, and below it the others with their titles. */
function renderParagraphs([titles = [], ...rows]: readonly (readonly string[])[], width: number): string[] {
  return rows.flatMap(([first = '', ...others]) => {
    const told = others.map((cell, column) => `${titles[column + 1] ?? ''} ${cell}`).join(', ');
    return [...breakText(first, width), ...breakText(told, width - 2).map((line) => `  ${line}`)];
  });
}
