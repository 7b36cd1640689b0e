import { because } from '../../core/status/because.ts';
import { doneWord } from '../../core/status/done-word.ts';
import type { Line } from '../../core/status/line.ts';
import { explainSplit, lostByUs } from '../../core/status/losses.ts';
import type { RunReport } from '../../core/status/status.ts';
import { stateOfStep } from '../../core/steps/steps.ts';
import { count, formatLongDuration } from '../../core/text/format.ts';
import { plain } from './document.ts';
import { formatMoment } from './format-moment.ts';
import { isMeasured, toneOfLosses } from './requests-section.ts';
import { listNewUids } from './timeline.ts';

/** Outcome and duration; then why it was not completed, and what was not protected. */
export function summarize(report: RunReport): readonly Line[] {
  const { startedAt, finishedAt, disabledRules } = report;
  const ended = finishedAt === undefined ? '' : `, ended ${formatMoment(finishedAt)}`;
  return [
    explainOutcome(report),
    ...explainCause(report),
    ...(disabledRules.length === 0
      ? []
      : [{ tone: 'bad', text: `Unprotected: disabled: ${disabledRules.join(', ')}` } as const]),
    plain(`${countReplaced(report)}; started ${formatMoment(startedAt)}${ended}`),
  ];
}

/** A run that is aborted or rolled back, and one that skipped nodes, removes its new nodes in the same steps, so they are among its nodes. */
function countReplaced(report: RunReport): string {
  const newUids = listNewUids(report);
  const old = report.nodes.filter(({ node }) => !newUids.has(node.uid));
  const done = old.filter(({ step }) => stateOfStep(step) === 'replaced').length;
  const removed = report.nodes.filter(({ node, step }) => newUids.has(node.uid) && step === 'replaced').length;
  const skipped = old.filter(({ step }) => step === 'skipped').length;
  const others = skipped === 0 ? '' : `, ${skipped} skipped`;
  const more = removed === 0 ? '' : `, ${count(removed, 'new node')} removed again`;
  return `${done} of ${count(old.length, 'node')} ${doneWord(report)}${others}${more}`;
}

function explainOutcome(report: RunReport): Line {
  const time = `in ${formatLongDuration(report.durationMs)}`;
  switch (report.outcome) {
    case 'completed':
      if (!isMeasured(report)) return { tone: 'warn', text: `Completed, nothing measured, ${time}` };
      return { tone: toneOfLosses(report.traffic), text: `Completed ${time}${explainLost(report)}` };
    case 'aborted':
      return { tone: 'warn', text: `Aborted ${time}${explainLost(report)}` };
    case 'rolled-back':
      return { tone: 'warn', text: `Rolled back to ${report.pool} ${time}${explainLost(report)}` };
    case 'failed':
      return { tone: 'bad', text: `Failed ${time}${explainLost(report)}` };
  }
}

function explainLost({ traffic }: RunReport): string {
  const { lost } = traffic;
  if (lost === 0) return '';
  const whileNoneOut = lost - lostByUs(traffic);
  const split = whileNoneOut === 0 ? '' : `, ${explainSplit(lost, whileNoneOut)}`;
  return `; ${count(lost, 'request')} lost${split}`;
}

/** What ends a run before all nodes are replaced. */
const endings: Readonly<Record<string, string>> = { abort: 'Aborted', reject: 'Rejected', rollback: 'Rolled back' };

function explainCause({ outcome, stalled, actions }: RunReport): readonly Line[] {
  if (stalled !== undefined) {
    const fix = stalled.hint === undefined ? [] : [plain(`Fix: ${stalled.hint}`)];
    return [{ tone: 'bad', text: `${stalled.code}: ${stalled.message}` }, ...fix];
  }
  const end = actions.findLast(({ action }) => Object.hasOwn(endings, action));
  if (outcome === 'completed' || outcome === 'failed' || end === undefined) return [];
  return [{ tone: 'warn', text: `${endings[end.action] ?? ''} by ${because(end)}` }];
}
