import { formatLongDuration, formatMoment } from '../../core/text/format.ts';
import type { RunExplanation, WaitReason } from '../explain/explain-run.ts';
import type { Style } from '../output/style.ts';
import { fitWidth } from './wrap.ts';

/** Draws why a run waits, in sentences. `now` is epoch ms. */
export function renderRunExplanation(explanation: RunExplanation, now: number, style: Style): string[] {
  const { cluster, pool, state, replaced, nodes, drains, reasons } = explanation;
  const progress = nodes === 0 ? '' : `, ${replaced} of ${nodes} nodes ${drains ? 'drained' : 'replaced'}`;
  const lines = [
    `${style.paint('strong', `${cluster}/${pool}`)}: ${state}${progress}.`,
    ...(reasons.length === 0 ? ['It waits for nothing.'] : []),
    ...reasons.flatMap((reason) => linesOf(reason, now, style)),
  ];
  return fitWidth(lines, style);
}

function linesOf(
  { what, since, until, afterwards, unblock, command }: WaitReason,
  now: number,
  style: Style,
): string[] {
  return [
    '',
    what,
    ...(since === undefined ? [] : [`  since ${formatMoment(since, now)} UTC, for ${formatLongDuration(now - since)}`]),
    ...(until === undefined
      ? []
      : [
          `  until ${formatMoment(until, now)} UTC, ${explainUntil(until, now)}${afterwards === undefined ? '' : `; then ${afterwards}`}`,
        ]),
    `  ${unblock}`,
    ...(command === undefined ? [] : [`  next: ${style.paint('strong', command)}`]),
  ];
}

function explainUntil(until: number, now: number): string {
  return until > now ? `in ${formatLongDuration(until - now)}` : 'which has passed';
}
