import { expect, test } from 'vitest';
import { readBoth } from '../../client/read-both.ts';

const never = new Promise<never>(() => undefined);
const fail = (what: string) => Promise.reject(new Error(what));
const errorsOf = async (read: Promise<unknown>) =>
  await read.then(
    () => undefined,
    (error: AggregateError) => error.errors.map(String),
  );

test('when two reads fail, both failures are reported', async () => {
  expect(await errorsOf(readBoth(fail('cloud'), fail('cluster')))).toEqual(['Error: cloud', 'Error: cluster']);
});

test('a read that does not end does not hide the failure of the other', async () => {
  expect(await errorsOf(readBoth(never, fail('cluster'), 1))).toEqual(['Error: cluster']);
});

test('two reads that answer are both answered', async () => {
  expect(await readBoth(Promise.resolve(1), Promise.resolve('a'))).toEqual([1, 'a']);
});
