import stringWidth from 'string-width';
import type { Tone } from '../../core/status/line.ts';
import type { Style } from '../output/style.ts';
import { breakText } from '../view/wrap.ts';
import type { Check, CheckState } from './check.ts';

const tones: Readonly<Record<CheckState, Tone>> = { ok: 'good', warning: 'warn', failed: 'bad', unknown: 'warn' };
/** In the order in which they are counted. */
const states = ['failed', 'unknown', 'warning', 'ok'] as const;
/** Columns of the longest state and a gap. */
const indent = 10;
/** With fewer columns than this, nothing can be read anyway. */
const narrowest = 40;

/** Draws checks, one paragraph each, and how many ended in which state. Commands are never broken, so that they can be copied. */
export function renderChecks(checks: readonly Check[], style: Style): string[] {
  const idWidth = Math.max(0, ...checks.map(({ id }) => stringWidth(id))) + 3;
  const counts = states.flatMap((state) => {
    const number = checks.filter((check) => check.state === state).length;
    return number === 0 ? [] : [style.paint(tones[state], `${number} ${state}`)];
  });
  return [...checks.flatMap((check) => renderCheck(check, idWidth, style)), '', counts.join(', ')];
}

function renderCheck({ id, state, found, fix }: Check, idWidth: number, style: Style): string[] {
  const room = Math.max(narrowest, style.width ?? Number.POSITIVE_INFINITY) - indent;
  const hang = ' '.repeat(2);
  const [first = '', ...more] = breakText(`${id.padEnd(idWidth)}${found}`, room, hang);
  const [advice = '', ...commands] = fix === undefined ? [] : fix.split('\n');
  return [
    `${style.paint(tones[state], state)}${' '.repeat(indent - state.length)}${first}`,
    ...more.map(pad),
    ...(advice === '' ? [] : breakText(`fix: ${advice}`, room - hang.length).map((line) => pad(hang + line))),
    ...commands.map((command) => pad(style.paint('strong', `${hang}${command}`))),
  ];
}

function pad(line: string): string {
  return ' '.repeat(indent) + line;
}
