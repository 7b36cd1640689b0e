/** Nodes are drained without new ones: their pods move to nodes that stay. */
import { describe, expect, test } from 'vitest';
import { drainOf } from '../support/drain-of.ts';
import { expectNothingLost } from '../support/run-checks.ts';

describe('a drain', () => {
  test.each([[[0]], [[0, 1]]])(
    'empties nodes %j, loses nothing, and leaves them cordoned and excluded',
    async (drained) => {
      const { world, policy, start } = drainOf({ drained });
      const { harness, handle } = await start();
      const report = await harness.finish(handle);

      expect(report).toMatchObject({ outcome: 'completed', drain: 'keep', newNodes: [] });
      expectNothingLost(world);
      expect(report.nodes.map(({ step }) => step)).toEqual(drained.map(() => 'drained'));
      for (const { name } of policy.selection?.nodes ?? []) {
        const node = world.nodes.find((one) => one.name === name);
        expect(node).toMatchObject({ cordoned: true });
        expect(node?.labels).toHaveProperty('node.kubernetes.io/exclude-from-external-load-balancers', 'true');
        expect(Object.keys(node?.annotations ?? {}).filter((key) => key.startsWith('nodeferry.dev'))).toEqual([]);
        expect(world.pods.filter((pod) => pod.node === name && pod.of !== 'agent')).toEqual([]);
      }
      expect(world.terminations.size).toBe(0);
      expect(world.pools.map((pool) => pool.suspended)).toEqual([[]]);
      expect([...world.leases.keys()]).toEqual([]);
    },
  );
});
