import { expect, test } from 'vitest';
import { decideEvictionRound } from '../../../core/eviction/eviction-round.ts';
import { type Returns, trackReturns } from '../../../core/eviction/returns.ts';
import { aCluster, aNode, aPod, aPolicy, nodeRefOf } from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';

const node = aNode('n1', { cordoned: true });
const tolerations = [{ operator: 'Exists' as const }];

function round(pods: readonly PodFacts[], returns: Returns) {
  const facts = aCluster({ nodes: [node], pods });
  const times = { now: 0, removedAt: {}, unreadySince: {}, drainedAt: {} };
  return decideEvictionRound({ node: nodeRefOf(node), facts, policy: aPolicy(), run: 'run', returns, ...times });
}

/** Pods on the node in consecutive observations: each is evicted, and the next one starts. */
function come(count: number, changes: Partial<PodFacts> = { tolerations }): Returns {
  let returns: Returns | undefined;
  for (let i = 0; i <= count; i++) returns = trackReturns(returns, [aPod(`web-${i}`, 'n1', changes)]);
  return returns ?? {};
}

test('a pod that tolerates the taint of cordoned nodes is evicted three times more, then left alone and named', () => {
  const pod = aPod('web-9', 'n1', { tolerations });
  expect(round([pod], come(2)).actions).toHaveLength(1);
  const held = round([pod], come(3));
  expect(held).toMatchObject({ actions: [], remaining: 1 });
  expect(held.blocked[0]?.reason).toMatch(
    /^it tolerates the taint of cordoned nodes, and such pods came here 3 times after an eviction\. Have it tolerate only/,
  );
});

test('one that stays while others come is no return, and others are evicted as ever', () => {
  const pods = [aPod('web-1', 'n1', { tolerations }), aPod('web-2', 'n1', { tolerations })];
  const returns = trackReturns(trackReturns(trackReturns(undefined, pods), pods), pods.slice(1));
  expect(returns).toMatchObject({ 'Deployment default/web': { times: 0 } });
  expect(round([aPod('api-1', 'n1')], come(9, {})).actions).toHaveLength(1);
});
