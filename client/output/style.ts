import { styleText } from 'node:util';
import type { Tone } from '../../core/status/line.ts';
import type { StepState } from '../../core/steps/step-spec.ts';

const formats = {
  good: 'green',
  busy: 'cyan',
  warn: 'yellow',
  bad: 'red',
  dim: 'dim',
  strong: 'bold',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** How a view may draw: colours and icons that suit the output. */
export interface Style {
  /** Columns of the terminal; undefined if there is none, or if it does not say. */
  readonly width: number | undefined;
  paint(tone: Tone, text: string): string;
  readonly icons: Readonly<Record<StepState, string>>;
  readonly branch: Readonly<Record<'middle' | 'last' | 'pipe' | 'gap', string>>;
}

const unicode = {
  icons: { pending: '○', 'in-progress': '◎', replaced: '✔', restoring: '↩', restored: '↩', skipped: '↷', stalled: '▲' },
  branch: { middle: '├─ ', last: '└─ ', pipe: '│  ', gap: '   ' },
} as const;

const ascii = {
  icons: { pending: '-', 'in-progress': '*', replaced: '+', restoring: '<', restored: '<', skipped: '/', stalled: '!' },
  branch: { middle: '|- ', last: '`- ', pipe: '|  ', gap: '   ' },
} as const;

/** Style for plain files and tests: no colour, but the usual icons. */
export const plainStyle: Style = { width: undefined, paint: (_tone, text) => text, ...unicode };

/**
 * Style for a stream: colours when it is a terminal and NO_COLOR allows (https://no-color.org), or as FORCE_COLOR says
 * (https://nodejs.org/api/tty.html#writestreamgetcolordepthenv); ASCII icons when the locale is not UTF-8.
 */
export function styleFor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): Style {
  const forced = env['FORCE_COLOR'];
  const colours = forced ? !/^(0|false)$/.test(forced) : Boolean(stream.isTTY) && !env['NO_COLOR'];
  return {
    width: stream.isTTY && stream.columns > 0 ? stream.columns : undefined,
    paint: (tone, text) => (colours ? styleText(formats[tone], text, { validateStream: false }) : text),
    ...(isUnicode(env) ? unicode : ascii),
  };
}

function isUnicode(env: NodeJS.ProcessEnv): boolean {
  return /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'C.UTF-8');
}

const spelled: Readonly<Record<string, string>> = {
  '→': '->',
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '…': '...',
  '×': 'x',
  '·': '-',
};

/** Text for people as the locale can show it: without UTF-8, arrows and quotes are spelled in ASCII. */
export function legible(text: string, env: NodeJS.ProcessEnv = process.env): string {
  return isUnicode(env) ? text : text.replaceAll(/[→’‘“”…×·]/g, (sign) => spelled[sign] ?? sign);
}
