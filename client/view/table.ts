import stringWidth from 'string-width';
import { breakText } from './wrap.ts';

/** Stands between two columns. */
const gap = '   ';

/** Narrower columns than this can't be read. */
const narrowestColumn = 8;

/**
 * Aligns rows in columns; the first row is the header. Widths count what a terminal shows, not code units. Where the terminal, `width`
 * columns wide, has no room for that, long cells go on below themselves; where it has room for no columns, each row becomes a paragraph.
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

/** Takes from the widest columns what is too much; undefined when what is left could not be read. */
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
