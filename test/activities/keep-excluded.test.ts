/** A node whose exclusion is revoked, or whose label somebody removes: others may count on it from then on. */
import { expect, test } from 'vitest';
import type { SimNode, World } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { excludeLabel, openScene } from './leaving-nodes.ts';
import { run } from './lock-pool.ts';

/** Somebody excludes these nodes, and never includes them again. */
function excludeForEver(world: World, nodes: readonly SimNode[]): void {
  for (const node of nodes) node.labels[excludeLabel] = 'true';
  world.changed();
}

/** How often time has passed with the leaving node excluded, from now on. */
function countExclusions({ world, leaving }: Awaited<ReturnType<typeof openScene>>): () => number {
  let seen = 0;
  world.clock.onPassage(() => {
    if (leaving[0]?.labels[excludeLabel] !== undefined) seen += 1;
  });
  return () => seen;
}

async function leave({ world, activities, attempt, leaving, inputOf }: Awaited<ReturnType<typeof openScene>>, n = 1) {
  const [node] = leaving;
  if (node === undefined) throw new Error('no node');
  const input = { ...inputOf(node, 2), deregisteredAt: world.clock.now() };
  const environment = new MockActivityEnvironment({ activityId: 'draining', attempt: n });
  return await attempt('draining', async () => await activities.awaitConnectionsDrained(input), environment);
}

test('an attempt at a step whose answer was lost does not exclude the node again that it has restored', async () => {
  const scene = await openScene(1);
  const { world, leaving } = scene;
  excludeForEver(world, world.nodes.slice(1, 3));
  const first = await leave(scene);
  expect(first).toMatchObject({ outcome: 'done', restoredBecause: expect.stringContaining('must keep') });
  expect(leaving[0]?.labels).not.toHaveProperty(excludeLabel);
  world.clock.advance(3 * 60_000);
  const excludedAgain = countExclusions(scene);
  expect(await leave(scene, 2)).toMatchObject({
    outcome: 'done',
    restoredBecause: expect.stringContaining('must keep'),
  });
  world.clock.stop();
  expect(excludedAgain()).toBe(0);
});

test.each([
  ['not when others count on it by now', 2, false],
  ['when nobody does', 0, true],
] as const)('a node whose label somebody removed gets it again, but %s', async (_, others, isExcluded) => {
  const scene = await openScene(1);
  const { world, leaving } = scene;
  const [node] = leaving;
  if (node === undefined) throw new Error('no node');
  delete node.labels[excludeLabel];
  delete node.annotations['nodeferry.dev/excluded-by'];
  world.changed();
  world.clock.advance(3 * 60_000);
  excludeForEver(world, world.nodes.slice(1, 1 + others));
  const excludedAgain = countExclusions(scene);
  const end = await leave(scene);
  world.clock.stop();
  expect(excludedAgain() > 0).toBe(isExcluded);
  expect(node.annotations['nodeferry.dev/excluded-by']).toBe(isExcluded ? run : undefined);
  expect(end).toMatchObject(
    isExcluded ? { evidence: [{ kind: 'connections-drained' }] } : { restoredBecause: expect.any(String) },
  );
});
