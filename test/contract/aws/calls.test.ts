/** How many calls observations make in accounts with many load balancers: every account has only so many a second, controllers included. */

import { describe, expect, test } from 'vitest';
import { createAgreements } from '../../../activities/agreements.ts';
import { createExcludeSteps } from '../../../activities/exclude-steps.ts';
import { createWaking } from '../../../activities/waking.ts';
import { createObserver } from '../../../operations/observer.ts';
import { createWindowGate } from '../../../operations/window-gate.ts';
import { aPolicy } from '../../core/support/facts.ts';
import { MockActivityEnvironment } from '../../support/activity-environment.ts';
import { type CrowdedCloud, startCrowdedCloud } from './many-load-balancers.ts';

const policy = aPolicy();

/** A run that has just made its preflight observation. */
function openRun(cloud: CrowdedCloud) {
  const observer = createObserver(cloud.ports);
  const { excludeNext } = createExcludeSteps(cloud.ports, {
    observer,
    wake: createWaking(cloud.ports),
    gate: createWindowGate(cloud.ports),
    agreements: createAgreements(),
  });
  const input = { run: 'run-1', policy, sequence: 1, baselines: [], inFlight: [], waiting: cloud.nodes };
  return {
    preflight: async () => await observer.observeFresh(policy),
    excludeBatch: async () => await new MockActivityEnvironment().run(async () => await excludeNext(input)),
  };
}

const everywhere = [0, 1, 2];
const needsThree = (balancer: number) => (balancer < 3 ? everywhere : []);

describe.each([10, 50])('of %i load balancers with two target groups each a run needs three', (balancers) => {
  test('so it reads no others’ attributes and targets, and tells of all whether they could be watched', async () => {
    const cloud = await startCrowdedCloud(balancers);
    cloud.serve(needsThree);
    const run = openRun(cloud);
    cloud.callsSince();

    const { targetGroups, unsupported } = await run.preflight();

    expect([targetGroups.length, unsupported.length]).toEqual([6, 0]);
    expect(cloud.callsSince()).toEqual({
      DescribeLoadBalancers: 1,
      DescribeTags: Math.ceil(balancers / 20),
      DescribeTargetGroups: 1,
      DescribeLoadBalancerAttributes: 3,
      DescribeTargetGroupAttributes: 6,
      DescribeTargetHealth: 6,
    });
  });

  test('an exclusion chooses by one observation of their targets and decides by another', async () => {
    const cloud = await startCrowdedCloud(balancers);
    cloud.serve(needsThree);
    const run = openRun(cloud);
    await run.preflight();
    await cloud.clock.sleep(30_000);
    cloud.callsSince();

    expect(await run.excludeBatch()).toMatchObject({ outcome: 'done' });

    expect(cloud.callsSince()).toEqual({ DescribeTargetHealth: 6 + 6 });
  });

  test('after a minute it asks which target groups there are, and for nothing else that seldom changes', async () => {
    const cloud = await startCrowdedCloud(balancers);
    cloud.serve(needsThree);
    const run = openRun(cloud);
    await run.preflight();
    await cloud.clock.sleep(60_001);
    cloud.callsSince();

    await run.excludeBatch();

    expect(cloud.callsSince()).toEqual({
      DescribeLoadBalancers: 1,
      DescribeTags: 1,
      DescribeTargetGroups: 3,
      DescribeTargetHealth: 6 + 6,
    });
  });
});

test('a node is decided on by the Services that have pods there', async () => {
  const hosts = (balancer: number) => (balancer === 0 ? everywhere : [1, 2]);
  const cloud = await startCrowdedCloud(3, hosts);
  cloud.serve(hosts);
  const run = openRun(cloud);
  await run.preflight();
  await cloud.clock.sleep(30_000);
  cloud.callsSince();

  expect(await run.excludeBatch()).toMatchObject({ outcome: 'done', node: { name: 'web-0' } });

  expect(cloud.callsSince()).toEqual({ DescribeTargetHealth: 6 + 2 });
});

describe('a run that needs all of 50 load balancers with two target groups each', () => {
  test.each(['Local', 'Cluster'] as const)('under policy %s reads each once', async (externalTrafficPolicy) => {
    const cloud = await startCrowdedCloud(50);
    cloud.serve(() => everywhere, { externalTrafficPolicy });
    const run = openRun(cloud);
    cloud.callsSince();

    await run.preflight();

    expect(cloud.callsSince()).toEqual({
      DescribeLoadBalancers: 1,
      DescribeTags: 3,
      DescribeTargetGroups: 1,
      DescribeLoadBalancerAttributes: 50,
      DescribeTargetGroupAttributes: 100,
      DescribeTargetHealth: 100,
    });

    expect(await run.excludeBatch()).toMatchObject({ outcome: 'done' });

    // What was read just now will do to choose by. Each of them decides, and each has to be asked for itself.
    expect(cloud.callsSince()).toEqual({ DescribeTargetHealth: 100 });
  });
});
