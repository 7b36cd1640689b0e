import { describe, expect, test } from 'vitest';
import { chooseNodes } from '../../../client/audit/choose-nodes.ts';
import { aCluster, aNode, aService } from '../../core/support/facts.ts';

const cluster = aCluster({
  nodes: [
    aNode('n1'),
    aNode('n2', { pool: 'batch' }),
    aNode('n3', { pool: undefined }),
    aNode('fargate', { pool: undefined, madeForOnePod: true }),
  ],
  services: [aService('web', [])],
});
const choose = (service?: string, pool?: string) => chooseNodes(cluster, { service, pool }).map(({ name }) => name);

describe('an audit is about', () => {
  test('all nodes, but for those that were made for one pod and that nobody replaces', () => {
    expect(choose()).toEqual(['n1', 'n2', 'n3']);
  });

  test('the nodes of a pool', () => {
    expect(choose(undefined, 'batch')).toEqual(['n2']);
  });

  test('all nodes when only one Service is of interest', () => {
    expect(choose('default/web')).toEqual(['n1', 'n2', 'n3']);
  });
});

test.each([
  ['default/wbe', undefined, 'No Service default/wbe is in the cluster. Did you mean default/web?'],
  [undefined, 'bacth', 'No pool bacth is in the cluster. Did you mean batch?'],
])('Service %s, pool %s: a name that does not exist is an error', (service, pool, message) => {
  expect(() => choose(service, pool)).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ message }) }),
  );
});
