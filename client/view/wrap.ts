import stringWidth from 'string-width';
import type { Style } from '../output/style.ts';

/** With fewer columns than this, nothing can be read anyway. */
const narrowest = 20;

/** A command that somebody may copy, to the end of its text: after a space, or after a colour, which ends with an m. */
const command = /(?<=^|[\s(m])(?:nodeferry|kubectl|temporal) [a-z].*$/;

/** Separates what is alternative, such as two commands. */
const alternatives = / {3}(?=\S)/;

/**
 * Breaks lines that are wider than the terminal between words. Continuation lines keep the bars of the tree that they belong to. A command stays whole,
 * on a line of its own if need be: a terminal that breaks it copies it as it is.
 */
export function fitWidth(lines: readonly string[], style: Style): string[] {
  const { width } = style;
  if (width === undefined || width < narrowest) return [...lines];
  return lines.flatMap((line) => {
    const hang = hangingOf(line, style);
    if (stringWidth(line) <= width || !command.test(line)) return breakText(line, width, hang);
    return line.split(alternatives).flatMap((part, index) => breakBeforeCommand(part, width, hang, index === 0));
  });
}

/** Breaks a text that may end with a command. `isFirst`: it begins a line, and so not with `hang`. */
function breakBeforeCommand(text: string, width: number, hang: string, isFirst: boolean): string[] {
  const begun = isFirst ? text : hang + text;
  const [found] = command.exec(begun) ?? [];
  if (found === undefined) return breakText(begun, width, hang);
  const before = begun.slice(0, begun.length - found.length);
  const lines = breakText(before.trimEnd(), width, hang);
  const last = `${lines.at(-1)} ${found}`;
  if (stringWidth(last) <= width || before.trim() === '')
    return [...lines.slice(0, -1), before.trim() === '' ? begun : last];
  return [...lines, hang + found];
}

/**
 * Breaks a text between words, and words that are too wide by themselves, into lines of `width` columns. All lines but the first begin with
 * `hang`.
 */
export function breakText(text: string, width: number, hang = ''): string[] {
  if (stringWidth(text) <= width) return [text];
  const lines: string[] = [];
  const hangWidth = stringWidth(hang);
  const room = () => width - (lines.length === 0 ? 0 : hangWidth);
  let line = '';
  // Every word with the space before it, which is dropped where the line breaks.
  for (const word of text.match(/\s*\S+/g) ?? []) {
    if (stringWidth(line + word) <= room()) {
      line += word;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const piece of cutWord(lines.length === 0 ? word : word.trimStart(), width - hangWidth)) {
      if (line !== '') lines.push(line);
      line = piece;
    }
  }
  return [...lines, line].map((one, index) => (index === 0 ? one : hang + one));
}

/** A word in pieces that fit. A word with colours in it stays whole. */
function cutWord(word: string, width: number): readonly string[] {
  if (stringWidth(word) <= width || width < 1 || word.includes('\u001b')) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const sign of word) {
    if (piece !== '' && stringWidth(piece + sign) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += sign;
  }
  return [...pieces, piece];
}

/** What continuation lines begin with. */
function hangingOf(line: string, { branch }: Style): string {
  if (line.startsWith(branch.middle)) return `${branch.pipe}  `;
  if (line.startsWith(branch.last)) return `${branch.gap}  `;
  if (line.startsWith(branch.pipe)) return `${branch.pipe}    `;
  return line.startsWith(branch.gap) ? `${branch.gap}    ` : '  ';
}
