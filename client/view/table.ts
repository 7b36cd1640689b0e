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
  return renderRows(rows, width).flat();
}

/** The same as the lines of each row, the header first, so that something can be written below a row. */
export function renderRows(rows: readonly (readonly string[])[], width?: number): readonly (readonly string[])[] {
  const natural = widthsOf(rows);
  const widths = width === undefined || width < narrowestColumn ? natural : shrink(natural, widestWords(rows), width);
  if (widths === undefined) return renderParagraphs(rows, width ?? 0);
  return rows.map((row) => renderRow(row, widths));
}

function widthsOf(
  rows: readonly (readonly string[])[],
  measure: (cell: string) => number = stringWidth,
): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, measure(cell));
    });
  }
  return widths;
}

/** Width of the widest word of each column. Names and times stay whole, so that they can be read and copied. */
function widestWords(rows: readonly (readonly string[])[]): readonly number[] {
  return widthsOf(rows, (cell) => Math.max(...cell.split(/\s+/).map((word) => stringWidth(word))));
}

/** Narrows the widest columns, down to their widest words, until everything fits; undefined when the result could not be read. */
function shrink(natural: readonly number[], words: readonly number[], width: number): readonly number[] | undefined {
  const room = width - gap.length * (natural.length - 1);
  const widthsFor = (most: number) => natural.map((one, column) => Math.max(words[column] ?? 0, Math.min(one, most)));
  for (let most = Math.max(0, ...natural); most >= narrowestColumn; most -= 1) {
    const widths = widthsFor(most);
    if (widths.reduce((sum, one) => sum + one, 0) <= room) return widths;
  }
  return undefined;
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

/** A cell that has nothing to say. */
const nothing = '-';

/** Each row by itself: its first cell, and below it the others with their titles, but for those that say nothing. */
function renderParagraphs(
  [titles = [], ...rows]: readonly (readonly string[])[],
  width: number,
): readonly (readonly string[])[] {
  const paragraphs = rows.map(([first = '', ...others]) => {
    const told = others
      .map((cell, column) => ({ title: titles[column + 1] ?? '', cell }))
      .filter(({ cell }) => cell !== nothing && cell !== '')
      .map(({ title, cell }) => `${title} ${cell}`)
      .join(', ');
    return [...breakText(first, width), ...breakText(told || nothing, width - 2).map((line) => `  ${line}`)];
  });
  return [[], ...paragraphs];
}
