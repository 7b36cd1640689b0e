import { describe, expect, test } from 'vitest';
import { findElsewhere } from '../../../core/cleanup/find-runs.ts';
import { aCluster, aNode, aPod } from '../support/facts.ts';

const costly = aPod('web-1', 'n1', { costRaisedBy: 'r2' });
const ofOtherPool = aNode('a1', { pool: 'api', cordoned: true, ownership: { cordonedBy: 'r2' } });

function ask(
  nodes = [aNode('n1')],
  { locks = [], holder }: { readonly locks?: readonly string[]; readonly holder?: string } = {},
) {
  const cluster = aCluster({ nodes, pods: [costly] });
  return findElsewhere('r2', { cluster, name: 'web', replacements: [], holder, locks });
}

describe('a run with an ownership mark on a pod of this pool', () => {
  test('works on another when it holds the lock of that pool, or has ownership marks on its nodes', () => {
    expect(ask([aNode('n1')], { locks: ['disrupt-default-web', 'nodeferry-c-api'] })).toBe(
      'run r2 has ownership marks here, but works on a pool other than web, or the cluster has another name: it holds the lock nodeferry-c-api',
    );
    expect(ask([aNode('n1'), ofOtherPool])).toBe(
      'run r2 has pods here, but works on a pool other than web: nodes of api have its ownership marks',
    );
  });

  test('works here when it holds the lock of this pool, or has ownership marks on its nodes', () => {
    expect(ask([aNode('n1'), ofOtherPool], { holder: 'r2', locks: ['nodeferry-c-web'] })).toBeUndefined();
    const here = aNode('n1', { cordoned: true, ownership: { cordonedBy: 'r2' } });
    expect(ask([here, ofOtherPool])).toBeUndefined();
  });

  test('has nothing to do with what was named when it holds the lock of its pool under another name of the cluster', () => {
    const here = aNode('n1', { cordoned: true, ownership: { cordonedBy: 'r2' } });
    expect(ask([here], { locks: ['nodeferry-prod-b-web'] })).toContain('it holds the lock nodeferry-prod-b-web');
  });

  test('is cleaned up when nothing else is left of it', () => {
    expect(ask()).toBeUndefined();
    expect(ask([aNode('n1')], { locks: ['disrupt-default-web', 'nodeferry-exclude'] })).toBeUndefined();
  });
});
