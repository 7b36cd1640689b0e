/** Controllers that select pods of others, and adopt them once they have no owner. */
import { expect, test } from 'vitest';
import { createSimPorts } from '../simulator/ports.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';

const selector = { chart: 'shop' };

/** A chart whose agents and servers share the label by which its DaemonSet selects. */
function sharedLabels(): Upgrade {
  const upgrade = upgradeOf({ podSurge: {} });
  const { world } = upgrade;
  const [web] = world.workloads;
  const agent = world.workloads.find(({ name }) => name === 'agent');
  if (web === undefined || agent === undefined) throw new Error('the world has no web or no agent');
  web.labels = { ...web.labels, ...selector };
  for (const pod of world.pods) if (pod.of === web.name) pod.labels = { ...pod.labels, ...selector };
  world.workloads.push({ ...agent, name: 'shop-agent', labels: selector, selector });
  world.changed();
  world.clock.advance(60_000);
  world.log.length = 0;
  // They exist as long as the node.
  for (const pod of world.pods) if (pod.ownerName === 'shop-agent') pod.createdAt = 0;
  return upgrade;
}

test('a DaemonSet that selects a pod deletes it as soon as it is released', async () => {
  const { world } = sharedLabels();
  const { cluster } = createSimPorts(world);
  const pod = (await cluster.observe()).pods.find(({ workload }) => workload === 'Deployment default/web');
  if (pod === undefined) throw new Error('there is no pod of web');
  const { ownerName: name, ownerUid: uid = '', labels } = pod;
  const value = labels['pod-template-hash'] ?? '';
  const from = { label: 'pod-template-hash', value, replicaSet: { name, uid }, workload: 'Deployment default/web' };
  expect(await cluster.release(pod, from, 'run')).toBe('done');
  world.changed();
  world.clock.advance(1_000);
  expect(world.log.filter((line) => line.includes(`pod ${pod.name} on`) && line.endsWith('terminates'))).not.toEqual(
    [],
  );
});

test('such a workload is evicted within its budget, and the others are surged', async () => {
  const { world, start } = sharedLabels();
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
  expect(world.log.filter((line) => /pod web-\d+ .* released/.test(line))).toEqual([]);
  expect(world.log.filter((line) => /pod api-\d+ .* released/.test(line))).toHaveLength(4);
});
