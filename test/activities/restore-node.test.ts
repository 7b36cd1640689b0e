/** Restoring a node, by an attempt whose worker Temporal considers lost. */
import { expect, test } from 'vitest';
import { ownershipOf } from '../simulator/cluster-port.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { exclude, excludeLabel, hangingAt, openScene } from './leaving-nodes.ts';
import { createActivities, run } from './lock-pool.ts';

test('fences off an attempt at a step that has not fenced the node yet, until the run is over', async () => {
  const { world, ports, leaving, inputOf, activities, attempt } = await openScene(1);
  const [node] = leaving;
  if (node === undefined) throw new Error('no node');
  const hanging = hangingAt(ports, 'requireLock', 1);
  const lost = new MockActivityEnvironment({ attempt: 1 });
  const late = { ...inputOf(node, 1), excludedAt: world.clock.now() };
  const ending = lost.run(createActivities(hanging.ports).awaitDeregistered, late).catch((error: unknown) => error);
  await hanging.reached;
  await attempt('restore', async () => await activities.restoreNode(inputOf(node, 2)));
  hanging.resume();
  expect(await ending).toMatchObject({ type: 'Superseded' });
  expect(node.labels).not.toHaveProperty(excludeLabel);
  expect(await ports.cluster.fenceNode(node, { run, round: 2, step: 1, attempt: 1 })).toBe('done');

  await attempt(
    'end',
    async () => await activities.restoreNode({ ...inputOf(node, 5), attempt: { round: 2, step: 5 }, forGood: true }),
  );
  world.clock.stop();
  expect(ownershipOf(world)).toEqual([]);
});

test('that lives on leaves alone a node that its run has excluded again', async () => {
  const { world, ports, leaving, inputOf } = await openScene(1);
  const [node] = leaving;
  const pod = world.pods.find((one) => one.node === node?.name && one.of === 'web');
  if (node === undefined || pod === undefined) throw new Error('no node');
  const hanging = hangingAt(ports, 'observe', 1);
  const lost = new MockActivityEnvironment({ attempt: 1 });
  const ending = lost
    .run(createActivities(hanging.ports).restoreNode, inputOf(node, 4))
    .catch((error: unknown) => error);
  await hanging.reached;
  await new MockActivityEnvironment({ attempt: 2 }).run(createActivities(ports).restoreNode, inputOf(node, 4));
  expect(node.labels).not.toHaveProperty(excludeLabel);

  exclude(node);
  await ports.cluster.fenceNode(node, { run, round: 2, step: 3, attempt: 1 });
  await ports.cluster.removeEndpoints(pod, ['app'], run);
  world.changed();
  world.clock.at(world.clock.now() + 60_000, () => lost.cancel());
  hanging.resume();
  const end = await ending;
  world.clock.stop();

  expect(end).toMatchObject({ type: 'Superseded' });
  expect(node.labels).toHaveProperty(excludeLabel);
  expect(JSON.parse(node.annotations['nodeferry.dev/fence'] ?? '{}')).toMatchObject({ round: 2 });
  expect(pod.endpointsRemoved).toMatchObject({ by: run });
});
