import { printable } from '../../core/text/printable.ts';

/** No text of a report is longer than this, in characters. */
const maxLength = 4_000;

/** Text from outside in one line, without characters that hide or reorder what follows. */
export function cleanText(text: string): string {
  return printable(text.trim().replaceAll(/\s+/g, ' '), maxLength);
}
