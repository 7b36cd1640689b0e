/** The wait for connections to end, while something keeps the node in its load balancers. */
import { expect, test } from 'vitest';
import type { Policy } from '../../core/policy/policy.ts';
import { registerInSpiteOfLabel } from '../simulator/load-balancer.ts';
import { scenarioPolicy } from '../simulator/scenario.ts';
import type { SimNode, World } from '../simulator/world.ts';
import { excludeLabel, openScene } from './leaving-nodes.ts';

const deadlineMs = 5 * 60_000;

function withDeadline(connectionDrainMs: number): Partial<Policy> {
  const { waits } = scenarioPolicy();
  return { waits: { ...waits, deadlines: { ...waits.deadlines, connectionDrainMs } } };
}

function registerAgain(world: World, node: SimNode): void {
  const service = world.services.find(({ key }) => key === 'default/web');
  if (service !== undefined) registerInSpiteOfLabel(world, service, node.instanceId);
}

function removeLabel(world: World, node: SimNode): void {
  delete node.labels[excludeLabel];
  world.changed();
}

test.each([
  ['registers the node again', registerAgain, /is back in .*something registers it again/],
  ['removes its label', removeLabel, /somebody removed the exclude label/],
] as const)('ends at its deadline while something %s for ever, and says so', async (_what, act, says) => {
  const { world, activities, attempt, leaving, inputOf } = await openScene(1, withDeadline(deadlineMs));
  const [node] = leaving;
  if (node === undefined) throw new Error('no node');
  const began = world.clock.now();
  for (let at = began; at < began + 4 * deadlineMs; at += 2_000) world.clock.at(at, () => act(world, node));
  const outcome = await attempt('draining', async () =>
    activities.awaitConnectionsDrained({ ...inputOf(node, 2), deregisteredAt: began }),
  );
  const tookMs = world.clock.now() - began;
  world.clock.stop();
  expect(outcome).toMatchObject({
    outcome: 'failed',
    problem: { code: 'DeadlineExceeded', message: expect.stringMatching(says) },
  });
  expect(tookMs).toBeLessThan(deadlineMs + 60_000);
});

test('outlasts its deadline while connections may go on and nothing brings the node back', async () => {
  const { world, activities, attempt, leaving, inputOf } = await openScene(1, withDeadline(60_000));
  const [node] = leaving;
  if (node === undefined) throw new Error('no node');
  const outcome = await attempt('draining', async () =>
    activities.awaitConnectionsDrained({ ...inputOf(node, 2), deregisteredAt: world.clock.now() }),
  );
  world.clock.stop();
  expect(outcome).toMatchObject({ outcome: 'done', evidence: [{ kind: 'connections-drained' }] });
});
