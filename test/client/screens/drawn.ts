import { join } from 'node:path';
import stringWidth from 'string-width';
import { expect } from 'vitest';
import { legible, type Style, styleFor } from '../../../client/output/style.ts';

/** Draws a screen. */
export type Draw = (style: Style) => readonly string[];

/** A line that is only a command, after what it is for. It stays whole, so that it can be copied. */
const command = /^[\s│|]*(?:(?:next|or|fix):? +)?(?:nodeferry|kubectl|temporal) /;

/**
 * A screen as an operator sees it: in a terminal of 80 and of 160 columns, and in a file of a system whose locale knows ASCII only. Expects that every
 * line fits, but for a log, which has one line for each event; and that the file is in ASCII.
 */
export function drawn(draw: Draw, { isLog = false } = {}): string {
  const terminal = (columns: number) => ({ isTTY: true, columns }) as NodeJS.WriteStream;
  const utf8 = { NO_COLOR: '1', LANG: 'C.UTF-8' };
  return [
    ...[80, 160].flatMap((columns) => {
      const lines = draw(styleFor(terminal(columns), utf8));
      const tooWide = lines.filter((line) => stringWidth(line) > columns && !command.test(line) && !isLog);
      expect(tooWide).toEqual([]);
      return [`==== ${columns} columns`, ...lines];
    }),
    '==== a file, LANG=C',
    asciiOf(draw(styleFor({ isTTY: false } as NodeJS.WriteStream, { LANG: 'C' }))),
    '',
  ].join('\n');
}

function asciiOf(lines: readonly string[]): string {
  const text = legible(lines.join('\n'), { LANG: 'C' });
  expect(text.match(/[^\n\u0020-\u007e]/g)).toBeNull();
  return text;
}

/** The file that keeps a screen of a command. `vitest -u` writes it anew. */
export function golden(command: string, scene: string): string {
  return join(import.meta.dirname, 'golden', command, `${scene.replaceAll(/[^a-z0-9]+/g, '-')}.txt`);
}
