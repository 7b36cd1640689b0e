import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { escapeHtml } from '../../client/report/escape-html.ts';

/** Colours of a dark terminal, by the codes that the command line writes. */
const fills: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '36': '#79c0ff',
  '2': '#8b949e',
  '1': '#ffffff',
};
const plain = '#d1d5da';

/** Begins what sets a colour: `ESC [ CODE m`. */
const escape = String.fromCharCode(27);
const escapeSequence = new RegExp(`(${escape}\\[\\d+m)`);

/** Lengths in pixels. */
const column = 8.43;
const lineHeight = 20;
const margin = 18;

/** Draws what a command has written to a terminal, colours included. `prompt` is the command line. */
export function drawTerminal(prompt: string, output: readonly string[]): string {
  const lines = [`$ ${prompt}`, ...output];
  const columns = Math.max(...lines.map((line) => stringWidth(line)));
  const [width, height] = [Math.ceil(columns * column + 2 * margin), lines.length * lineHeight + 2 * margin - 4];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title text" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    `<title id="title">${escapeHtml(prompt)}</title>`,
    `<desc id="text">${escapeHtml(stripVTControlCharacters(output.join(' ')))}</desc>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...lines.map((line, index) => drawLine(line, margin + 10 + index * lineHeight)),
    '</svg>',
    '',
  ].join('\n');
}

/** One line. Each piece of one colour has a place of its own, so that columns stay straight in any font. */
function drawLine(line: string, y: number): string {
  const pieces: string[] = [];
  let fill = plain;
  let at = 0;
  for (const part of line.split(escapeSequence)) {
    const code = part.startsWith(escape) ? part.slice(2, -1) : undefined;
    if (code !== undefined) fill = fills[code] ?? plain;
    else if (part !== '') {
      const weight = fill === fills['1'] ? ' font-weight="bold"' : '';
      // A space at the edge of a piece would be dropped.
      const shown = part.split(' ').map(escapeHtml).join('\u00a0');
      pieces.push(`<tspan x="${(margin + at * column).toFixed(1)}" fill="${fill}"${weight}>${shown}</tspan>`);
      at += stringWidth(part);
    }
  }
  return `<text y="${y}">${pieces.join('')}</text>`;
}
