import stringWidth from 'string-width';
import type { Style } from '../output/style.ts';

/** Narrower than this, columns, nothing can be read anyway. */
const narrowest = 20;

/** Breaks lines between words where they are wider than the terminal; what follows keeps the bars of the tree that it belongs to. */
export function fitWidth(lines: readonly string[], style: Style): string[] {
  const { width } = style;
  if (width === undefined || width < narrowest) return [...lines];
  return lines.flatMap((line) => (stringWidth(line) <= width ? [line] : wrap(line, width, style)));
}

function wrap(line: string, width: number, style: Style): string[] {
  const hang = hangingOf(line, style);
  const lines: string[] = [];
  let current = '';
  // Every word with the space before it, which is dropped where the line breaks.
  for (const word of line.match(/\s*\S+/g) ?? []) {
    if (current !== '' && stringWidth(current + word) > width) {
      lines.push(current);
      current = hang + word.trimStart();
    } else current += word;
  }
  return [...lines, current];
}

/** What stands before what goes on on the next line. */
function hangingOf(line: string, { branch }: Style): string {
  if (line.startsWith(branch.middle)) return `${branch.pipe}  `;
  if (line.startsWith(branch.last)) return `${branch.gap}  `;
  if (line.startsWith(branch.pipe)) return `${branch.pipe}    `;
  return line.startsWith(branch.gap) ? `${branch.gap}    ` : '  ';
}
