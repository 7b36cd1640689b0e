import { isProblemCode, type Problem } from '../../core/model/problem.ts';
import { type Fields, fieldsOf, type HistoryEvent, textIn } from './history.ts';

/** A failure in a history. */
type Failure = NonNullable<NonNullable<HistoryEvent['activityTaskFailedEventAttributes']>['failure']>;

/** The problem in a failure: that of the innermost cause that has one. */
export function problemOf(failure: Failure | null | undefined): Problem {
  const details = failure?.applicationFailureInfo?.details?.payloads ?? [];
  const told = details
    .map(fieldsOf)
    .map(toProblem)
    .find((problem) => problem !== undefined);
  if (told !== undefined) return told;
  if (failure?.cause) return problemOf(failure.cause);
  const code = failure?.applicationFailureInfo?.type;
  // With a payload codec, the message outside of the payloads tells nothing.
  const message = textIn(fieldsOf(failure?.encodedAttributes), 'message') ?? failure?.message ?? 'no message';
  return { code: isProblemCode(code) ? code : 'Internal', message };
}

/** The problem that some data describes; undefined if it does not. */
export function toProblem(fields: Fields): Problem | undefined {
  const { code } = fields;
  const message = textIn(fields, 'message');
  const hint = textIn(fields, 'hint');
  if (!isProblemCode(code) || message === undefined) return undefined;
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

/** A problem in a sentence. */
export function explainProblem({ code, message, hint }: Problem): string {
  return `${code}: ${message}${hint === undefined ? '' : ` (fix: ${hint})`}`;
}
