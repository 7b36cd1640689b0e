import { describe, expect, test } from 'vitest';
import { findElsewhere } from '../../../core/cleanup/find-runs.ts';
import { aCluster, aNode, aPod } from '../support/facts.ts';

const dear = aPod('web-1', 'n1', { costRaisedBy: 'r2' });
const theirs = aNode('a1', { pool: 'api', cordoned: true, ownership: { cordonedBy: 'r2' } });

function ask(
  nodes = [aNode('n1')],
  { locks = [], holder }: { readonly locks?: readonly string[]; readonly holder?: string } = {},
) {
  const cluster = aCluster({ nodes, pods: [dear] });
  return findElsewhere('r2', { cluster, name: 'web', replacements: [], holder, locks });
}

describe('a run that has a mark on a pod of this pool', () => {
  test('works on another when it holds the lock on that, or has marks on its nodes', () => {
    expect(ask([aNode('n1')], { locks: ['disrupt-default-web', 'nodeferry-c-api'] })).toBe(
      'run r2 has pods here and works on another pool than web: it holds the lock nodeferry-c-api',
    );
    expect(ask([aNode('n1'), theirs])).toBe(
      'run r2 has pods here and works on another pool than web: nodes of api carry its labels or annotations',
    );
  });

  test('works here when it holds the lock on this one, or has marks on its nodes', () => {
    expect(ask([aNode('n1'), theirs], { holder: 'r2', locks: ['nodeferry-c-web'] })).toBeUndefined();
    const here = aNode('n1', { cordoned: true, ownership: { cordonedBy: 'r2' } });
    expect(ask([here, theirs], { locks: ['nodeferry-c-api'] })).toBeUndefined();
  });

  test('is swept where nothing else is left of it', () => {
    expect(ask()).toBeUndefined();
    expect(ask([aNode('n1')], { locks: ['disrupt-default-web', 'nodeferry-exclude'] })).toBeUndefined();
  });
});
