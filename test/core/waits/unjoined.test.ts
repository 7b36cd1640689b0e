import { expect, test } from 'vitest';
import type { InstanceFacts } from '../../../core/model/pool.ts';
import { findUnjoined, selectUnjoined } from '../../../core/waits/unjoined.ts';

const instance = (instanceId: string, state: InstanceFacts['state'] = 'running') => ({ instanceId, zone: 'a', state });
const nodes = [{ instanceId: 'i-kept' }, { instanceId: 'i-joined' }];
const instances = [
  instance('i-kept'),
  instance('i-joined'),
  instance('i-booting', 'pending'),
  instance('i-lost'),
  instance('i-ending', 'terminating'),
  instance('i-gone', 'terminated'),
];

test('what starts or runs and is no node has not joined', () => {
  expect(findUnjoined({ instances }, nodes)).toEqual(['i-booting', 'i-lost']);
});

test('a rollback ends what has not joined, and says so again when that ends already', () => {
  const question = { pool: { instances, desiredSize: 4 }, nodes, known: ['i-kept'], size: 4 };
  expect(selectUnjoined(question)).toEqual(['i-booting', 'i-lost', 'i-ending']);
});

test('it leaves the instances alone that the pool has kept, whether or not they are nodes now', () => {
  const question = { pool: { instances, desiredSize: 4 }, nodes: [], known: ['i-kept', 'i-lost'], size: 4 };
  expect(selectUnjoined(question)).toEqual(['i-joined', 'i-booting', 'i-ending']);
});

test('it ends nothing in a pool that somebody has scaled beyond the size of the plan', () => {
  expect(selectUnjoined({ pool: { instances, desiredSize: 5 }, nodes, known: [], size: 4 })).toEqual([]);
});
