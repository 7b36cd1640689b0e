import type { Tone } from '../../core/status/line.ts';
import { printable } from '../../core/text/printable.ts';
import type { LoggedEvent } from '../events/run-event.ts';
import type { Style } from '../output/style.ts';

/** No event is longer than this in a log, in characters. */
const maxLength = 4_000;

const bad: readonly LoggedEvent['type'][] = ['stalled', 'step-failed', 'node-failed'];
const needsSomebody: readonly LoggedEvent['type'][] = ['approval-requested', 'external-change', 'node-restored'];

function toneOf({ type, outcome }: LoggedEvent): Tone | undefined {
  if (bad.includes(type)) return 'bad';
  if (needsSomebody.includes(type)) return 'warn';
  if (type === 'node-replaced' || outcome === 'completed') return 'good';
  if (type === 'run-ended') return outcome === 'aborted' ? 'warn' : 'bad';
  return type === 'phase-entered' || type === 'operator-action' ? 'strong' : undefined;
}

/** One line of a log: when (UTC), which node, and what happened. */
export function renderEvent(event: LoggedEvent, style: Style): string {
  const { at, node, message } = event;
  const text = printable(message.replaceAll(/\s+/g, ' '), maxLength);
  const tone = toneOf(event);
  const told = tone === undefined ? text : style.paint(tone, text);
  const time = style.paint('dim', `${new Date(at).toISOString().slice(0, 19)}Z`);
  return `${time} ${node === undefined ? '' : `node ${printable(node)} `}${told}`;
}
