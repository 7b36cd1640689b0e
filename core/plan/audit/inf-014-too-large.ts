import { count, formatMegabytes } from '../../text/format.ts';
import { limits, type RunSize } from '../limits.ts';
import { measureRun } from '../measure-run.ts';
import type { AuditQuestion, AuditRule } from './rule.ts';

const words: Readonly<Record<keyof RunSize, (size: number) => string>> = {
  events: (size) => `${size.toLocaleString('en')} events of history`,
  historyBytes: (size) => `${formatMegabytes(size)} of history`,
  payloadBytes: (size) => `${formatMegabytes(size)} in one message`,
};

/** The recommended size is a little below the maximum: with fewer nodes, each node has more pods. */
const roomShare = 0.95;

/**
 * INF-014: a run keeps all of its nodes in one workflow. One that is too large for that would stop half way, and could neither continue nor roll
 * back.
 */
export const inf014TooLarge: AuditRule = (question) => {
  const { pool, nodes, batches } = question;
  const size = measureRun(question, question.facts, batches.podSurges);
  const names = Object.keys(limits) as (keyof RunSize)[];
  const room = Math.min(...names.map((name) => limits[name] / size[name]));
  const fits = 10 * Math.floor((roomShare * nodes.length * room) / 10);
  const tooLarge = names.filter((name) => size[name] > limits[name]);
  if (tooLarge.length === 0) return [];
  return tooLarge.map((name) => ({
    rule: 'INF-014',
    severity: 'blocker',
    subject: `pool ${pool.ref.name}`,
    message:
      `its ${count(nodes.length, 'node')} would take about ${words[name](size[name])} in Temporal, ` +
      `and one run may take ${words[name](limits[name])}`,
    hint: explainWaves(question) ?? explainRemedy(fits),
  }));
};

/** What to do where fewer waves would be enough. Undefined where the number of nodes is too large. */
function explainWaves(question: AuditQuestion): string | undefined {
  const { policy, facts, batches } = question;
  const inOneSurge = { ...question, policy: { ...policy, nodeSurge: { share: 1 } } };
  const carries = (size: RunSize) =>
    (Object.keys(limits) as (keyof RunSize)[]).every((name) => size[name] <= limits[name]);
  const moreAtATime = [
    {
      words: 'allow more new instances at a time (spec.nodeSurge)',
      size: measureRun(inOneSurge, facts, batches.podSurges),
    },
    {
      words: 'allow more extra pods at a time (spec.podSurge.max), or disable pod surge (spec.podSurge.mode)',
      size: measureRun(question, facts),
    },
  ].find(({ size }) => carries(size));
  if (moreAtATime !== undefined) return `It is the number of waves: ${moreAtATime.words}.`;
  if (!carries(measureRun(inOneSurge, facts))) return undefined;
  return 'It is the number of waves and batches: allow more new instances and more extra pods at a time (spec.nodeSurge, spec.podSurge.max).';
}

function explainRemedy(fits: number): string {
  if (fits === 0) return 'The policy and the Services alone take too much for a pool of any size: shorten the policy.';
  return `Spread it over several pools of up to ${fits} nodes each, and upgrade one after another.`;
}
