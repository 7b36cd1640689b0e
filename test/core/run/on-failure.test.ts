import { expect, test } from 'vitest';
import { type AfterFailure, type Failure, onFailure } from '../../../core/run/on-failure.ts';

const minute = 60_000;
const outgoing: Failure = {
  code: 'DeadlineExceeded',
  tries: 1,
  isResumed: false,
  isOutgoing: true,
  isRecalled: false,
  isAbandoned: false,
};
const incoming: Failure = { ...outgoing, isOutgoing: false, isRecalled: true };
const retryAfter = (minutes: number): AfterFailure => ({ next: 'retry-after', afterMs: minutes * minute });

test.each<[string, Failure, AfterFailure]>([
  ['a step that replaces a node waits for an operator', outgoing, { next: 'await-resume' }],
  ['and waits after any number of attempts', { ...outgoing, tries: 100 }, { next: 'await-resume' }],
  ['it is retried at once if the run was resumed while it ran', { ...outgoing, isResumed: true }, { next: 'retry' }],
  ['it does not wait if the node was recalled', { ...outgoing, isRecalled: true }, { next: 'retry' }],
  ['an unreachable node is observed meanwhile', { ...outgoing, code: 'NodeUnreachable' }, { next: 'await-reachable' }],
  [
    'so is an unreachable node that is being restored',
    { ...incoming, code: 'NodeUnreachable' },
    { next: 'await-reachable' },
  ],
  ['a resume takes precedence over that', { ...outgoing, code: 'NodeUnreachable', isResumed: true }, { next: 'retry' }],
  ['a step that restores a node is retried after a minute', incoming, retryAfter(1)],
  ['then after two', { ...incoming, tries: 2 }, retryAfter(2)],
  ['then after sixteen', { ...incoming, tries: 5 }, retryAfter(16)],
  ['but never after more than half an hour', { ...incoming, tries: 40 }, retryAfter(30)],
  ['and at once after a resume', { ...incoming, isResumed: true }, { next: 'retry' }],
  ['an abandoned node retries', { ...incoming, isAbandoned: true, tries: 5 }, retryAfter(16)],
  ['but not forever', { ...incoming, isAbandoned: true, tries: 6 }, { next: 'give-up' }],
  ['not even when it was resumed', { ...incoming, isAbandoned: true, tries: 6, isResumed: true }, { next: 'give-up' }],
  ['a node that is not abandoned never gives up', { ...incoming, tries: 1_000 }, retryAfter(30)],
])('%s', (_, failure, after) => {
  expect(onFailure(failure)).toEqual(after);
});
