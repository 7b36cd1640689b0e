import type { Tone } from '../../core/status/line.ts';

/** What a tone adds for those who do not see its colour. */
export function signOf(tone: Tone | undefined): string {
  switch (tone) {
    case 'good':
      return '✔ ';
    case 'warn':
      return '▲ ';
    case 'bad':
      return '✖ ';
    default:
      return '';
  }
}
