import { describe, expect, test } from 'vitest';
import { parseSelector } from '../../../client/drain/parse-selector.ts';
import { type NodeChoice, selectNodes } from '../../../client/drain/select-nodes.ts';
import { aNode } from '../../core/support/facts.ts';

const nodes = [
  aNode('a', { labels: { role: 'web', zone: 'x' } }),
  aNode('b', { labels: { role: 'web', zone: 'y' } }),
  aNode('c', { pool: 'batch', labels: { role: 'batch' } }),
  aNode('d', { pool: undefined, labels: { spot: '' } }),
];
const nothing: NodeChoice = { names: [], selector: undefined, pool: undefined };
const select = (choice: Partial<NodeChoice>) => selectNodes(nodes, { ...nothing, ...choice });

describe('the nodes to drain', () => {
  test.each([
    { choice: { names: ['b', 'a', 'b'] }, pool: 'web', names: ['b', 'a'] },
    { choice: { selector: 'role=web,zone!=y' }, pool: 'web', names: ['a'] },
    { choice: { pool: 'batch' }, pool: 'batch', names: ['c'] },
    { choice: { names: ['d'] }, pool: 'no-pool', names: ['d'] },
    { choice: { pool: 'no-pool' }, pool: 'no-pool', names: ['d'] },
  ])('are found by $choice', ({ choice, pool, names }) => {
    const found = select(choice);
    expect(found.pool).toBe(pool);
    expect(found.nodes).toEqual(names.map((name) => ({ name, uid: `uid-${name}` })));
  });

  test.each([
    { choice: {}, says: /either nodes, a selector or a pool/ },
    { choice: { names: ['a'], pool: 'web' }, says: /either nodes, a selector or a pool/ },
    { choice: { names: ['a', 'z'] }, says: /not in the cluster: z/ },
    { choice: { names: ['a', 'c'] }, says: /several pools \(web: a; batch: c\)/ },
    { choice: { selector: 'role=none' }, says: /no node matches/ },
    { choice: { selector: 'role==' + '=web' }, says: /can't be read/ },
    { choice: { pool: 'gone' }, says: /no node matches/ },
  ])('are refused for $choice, and nothing is drained', ({ choice, says }) => {
    expect(() => select(choice)).toThrow(says);
    expect(() => select(choice)).toThrow(/Nothing was drained/);
  });
});

describe('a selector', () => {
  const labels = { role: 'web', 'topology.kubernetes.io/zone': 'a', spot: '' };

  test.each([
    'role=web',
    'role==web',
    'role != db',
    'gone!=x',
    'spot',
    'spot=',
    '!gone',
    'role in (web, db)',
    'role notin (db)',
    'gone notin (db)',
    'role in (web,db),topology.kubernetes.io/zone=a,!gone',
  ])('matches by %s', (text) => {
    expect(parseSelector(text)?.(labels)).toBe(true);
  });

  test.each(['role=db', 'role!=web', 'gone', '!spot', 'role in (db)', 'role notin (web,db)', 'role=web,gone'])(
    'does not match by %s',
    (text) => {
      expect(parseSelector(text)?.(labels)).toBe(false);
    },
  );

  test.each(['', '=', 'role=web,', 'role in web', 'role in (web', '-role', 'role=a b', 'a,,b'])(
    'can not be read: %j',
    (text) => {
      expect(parseSelector(text)).toBeUndefined();
    },
  );
});
