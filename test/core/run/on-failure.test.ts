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
  ['a step on the way out waits for an operator', outgoing, { next: 'await-resume' }],
  ['and waits however often it has been tried', { ...outgoing, tries: 100 }, { next: 'await-resume' }],
  ['a resume that came while the step ran counts', { ...outgoing, isResumed: true }, { next: 'retry' }],
  ['whoever is recalled on the way out does not wait', { ...outgoing, isRecalled: true }, { next: 'retry' }],
  [
    'a node that nobody hears is watched meanwhile',
    { ...outgoing, code: 'NodeUnreachable' },
    { next: 'await-reachable' },
  ],
  ['so is one that comes back in', { ...incoming, code: 'NodeUnreachable' }, { next: 'await-reachable' }],
  ['a resume comes before that', { ...outgoing, code: 'NodeUnreachable', isResumed: true }, { next: 'retry' }],
  ['what comes back in tries again after a minute', incoming, retryAfter(1)],
  ['then after two', { ...incoming, tries: 2 }, retryAfter(2)],
  ['then after sixteen', { ...incoming, tries: 5 }, retryAfter(16)],
  ['but never waits more than half an hour', { ...incoming, tries: 40 }, retryAfter(30)],
  ['a resume has it tried at once', { ...incoming, isResumed: true }, { next: 'retry' }],
  ['whoever is abandoned goes on trying', { ...incoming, isAbandoned: true, tries: 5 }, retryAfter(16)],
  ['but not for ever', { ...incoming, isAbandoned: true, tries: 6 }, { next: 'give-up' }],
  ['not even when it was resumed', { ...incoming, isAbandoned: true, tries: 6, isResumed: true }, { next: 'give-up' }],
  ['whoever is not abandoned never gives up', { ...incoming, tries: 1_000 }, retryAfter(30)],
])('%s', (_, failure, after) => {
  expect(onFailure(failure)).toEqual(after);
});
