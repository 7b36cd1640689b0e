/** Finds lists in source text that name what the lists of steps name already. */
import { columnsOf, deadlinesOf, evidenceOf, rulesOf } from '../../../core/steps/derive.ts';
import { stepLists } from '../../../core/steps/steps.ts';

const fields = deadlinesOf(stepLists).map(({ field }) => field);

/** Names by kind: of two names of one kind, side by side, somebody keeps a list. */
const kinds: readonly (readonly string[])[] = [
  stepLists.steps.map(({ id }) => id),
  // How a run ends is said in Temporal's words, which its client has too.
  stepLists.phases.filter(({ isFinal }) => isFinal !== true).map(({ id }) => id),
  evidenceOf(stepLists).map(({ kind }) => kind),
  rulesOf(stepLists).map(({ id }) => id),
  fields,
];
const titles = columnsOf(stepLists).map(({ title }) => title);
const steps = anyOf(stepLists.steps.map(({ id }) => id));
/** Words that other things have too can't be told apart as keys. */
const keys = anyOf([...new Set(kinds.flat())].filter((name) => name.includes('-')));
const times = anyOf(fields.map((field) => `${field}Ms`));

const patterns: readonly RegExp[] = [
  // An array, or a union of types.
  ...kinds.map((names) => new RegExp(`'(?:${anyOf(names)})'\\s*[,|]\\s*'(?:${anyOf(names)})'`, 'g')),
  // A table by step, evidence, phase or rule.
  new RegExp(`^\\s*'(?:${keys})':`, 'gm'),
  // A second field by field copy of the deadlines.
  new RegExp(`\\b(?:${times}):.*\\s+(?:readonly )?(?:${times}):`, 'g'),
  // A switch over steps.
  new RegExp(`case '(?:${keys})':[^}]*?case '(?:${keys})':`, 'g'),
  // A group of steps.
  new RegExp(`[=!]== '(?:${steps})' (?:\\|\\||&&) [\\w.]*step [=!]== '(?:${steps})'`, 'g'),
  // A column of the report.
  new RegExp(`\\btitle: '(?:${anyOf(titles)})'`, 'g'),
];

/** The places that look like a list of steps, evidence, deadlines, rules or columns. */
export function findLists(text: string): readonly string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([found]) => found.replaceAll(/\s+/g, ' ')));
}

function anyOf(names: readonly string[]): string {
  return names.toSorted((a, b) => b.length - a.length).join('|');
}
