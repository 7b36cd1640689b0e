/** A cleanup after a run that was terminated while pods were leaving the target groups of load balancers that send to pods themselves. */
import { expect, test } from 'vitest';
import { cleanUp } from '../../client/cleanup.ts';
import type { Problem } from '../../core/model/problem.ts';
import type { LoadBalancers } from '../../ports/load-balancers.ts';
import { serviceNamed } from '../simulator/disturbances.ts';
import { targetPods } from '../simulator/pod-targets.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { expectNothingLost } from '../support/run-checks.ts';

/** A pod of `web`, which is a target, was removed from endpoints by a run that is gone; it has been replaced. */
async function removeOne(world: World) {
  const service = serviceNamed(world, 'web');
  targetPods(service);
  for (const one of world.services) one.ratePerSecond = 0;
  world.changed();
  world.clock.advance(5 * 60_000);
  for (const one of world.services) one.ratePerSecond = 100;
  world.traffic = { sent: 0, lost: 0, cut: 0 };
  const { cluster } = createSimPorts(world);
  const { pods } = await cluster.observe();
  const [pod] = pods.filter(({ labels }) => labels['app'] === 'web');
  if (pod === undefined) throw new Error('no pod');
  world.faults.controllersFrozen = true;
  await cluster.removeEndpoints(pod, ['app'], 'run-1');
  world.clock.advance(60_000);
  return pod.name;
}

async function cleanUpAfter(world: World, opened?: LoadBalancers | Problem, acceptsUnasked = false) {
  const { cluster, pools, loadBalancers } = createSimPorts(world);
  const clock = { now: () => world.clock.now(), sleep: async (ms: number) => world.clock.advance(ms) };
  const target = { cluster: 'sim', region: 'eu-west-1', provider: 'eks', pool: 'web', runs: undefined, acceptsUnasked };
  const openBalancers = () => opened ?? loadBalancers;
  const told: string[] = [];
  const left = await cleanUp({ cluster, pools, clock, openBalancers }, target, 'cleanup-ann', ({ what }) =>
    told.push(what),
  );
  world.clock.advance(30_000);
  return { left, told };
}

const isThere = (world: World, name: string) => world.pods.some((pod) => pod.name === name && !pod.terminating);

test('leaves a pod alone as long as a target group has it, and evicts it once none has; nothing is lost', async () => {
  const world = createScenario();
  const name = await removeOne(world);
  const first = await cleanUpAfter(world);
  expect(first.told).toEqual([]);
  expect(first.left).toMatchObject({ actions: [], draining: true });
  expect(first.left.waits).toEqual([expect.stringContaining(`pod default/${name}: it is still a target of`)]);
  expect(isThere(world, name)).toBe(true);
  expectNothingLost(world);

  world.faults.controllersFrozen = false;
  world.changed();
  world.clock.advance(10 * 60_000);
  const { told, left } = await cleanUpAfter(world);
  expect(told).toEqual([`pod default/${name}: evict; its controller has already replaced it`]);
  expect(left).toMatchObject({ actions: [], waits: [], draining: false });
  expect(isThere(world, name)).toBe(false);
  expectNothingLost(world);
});

test('leaves a pod alone when load balancers can’t be asked, says why, and evicts it when an operator accepts that', async () => {
  const world = createScenario();
  const name = await removeOne(world);
  const problem: Problem = { code: 'Forbidden', message: 'may not describe target health' };
  const { left } = await cleanUpAfter(world, problem);
  expect(left).toMatchObject({ actions: [], draining: false, loadBalancersUnread: problem.message });
  expect(isThere(world, name)).toBe(true);
  expectNothingLost(world);

  await cleanUpAfter(world, problem, true);
  expect(isThere(world, name)).toBe(false);
  expect(world.traffic.lost, 'a target group still sent to it').toBeGreaterThan(0);
});

test('leaves a pod alone whose load balancer is not a supported one', async () => {
  const world = createScenario();
  const name = await removeOne(world);
  const { loadBalancers } = createSimPorts(world);
  const unsupported = {
    service: 'default/web',
    why: 'unknown-load-balancer',
    detail: 'no load balancer',
    hint: '',
  } as const;
  const unknown: LoadBalancers = {
    ...loadBalancers,
    discover: async (services, options) => {
      const { groups } = await loadBalancers.discover(services, options);
      return { groups: groups.filter(({ service }) => service !== unsupported.service), unsupported: [unsupported] };
    },
  };
  const { left } = await cleanUpAfter(world, unknown);
  expect(left).toMatchObject({ actions: [], loadBalancersUnread: 'default/web: no load balancer' });
  expect(isThere(world, name)).toBe(true);
  expectNothingLost(world);
});
