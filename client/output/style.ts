import { styleText } from 'node:util';

/** Words that the views colour; what they look like is decided here alone. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'dim' | 'strong';

const formats = {
  good: 'green',
  busy: 'cyan',
  warn: 'yellow',
  bad: 'red',
  dim: 'dim',
  strong: 'bold',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** How a view may draw: colours and icons fit what reads the output. */
export interface Style {
  paint(tone: Tone, text: string): string;
  readonly icons: Readonly<Record<'done' | 'busy' | 'waiting' | 'attention' | 'back', string>>;
  readonly branch: Readonly<Record<'middle' | 'last' | 'pipe' | 'gap', string>>;
}

const unicode = {
  icons: { done: '✔', busy: '◎', waiting: '○', attention: '▲', back: '↩' },
  branch: { middle: '├─ ', last: '└─ ', pipe: '│  ', gap: '   ' },
} as const;

const ascii = {
  icons: { done: '+', busy: '*', waiting: '-', attention: '!', back: '<' },
  branch: { middle: '|- ', last: '`- ', pipe: '|  ', gap: '   ' },
} as const;

/** Style for plain files and tests: no colour, but the usual icons. */
export const plainStyle: Style = { paint: (_tone, text) => text, ...unicode };

/**
 * Style for a stream: colours when it is a terminal and NO_COLOR allows (https://no-color.org),
 * ASCII icons when the locale is not UTF-8.
 */
export function styleFor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): Style {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'C.UTF-8';
  const shapes = /utf-?8/i.test(locale) ? unicode : ascii;
  const colours = env['FORCE_COLOR'] ? true : Boolean(stream.isTTY) && !env['NO_COLOR'];
  return {
    paint: (tone, text) => (colours ? styleText(formats[tone], text, { validateStream: false }) : text),
    ...shapes,
  };
}
