/** Clusters whose admission forbids pods without an owner, or the release of pods. */
import { expect, test } from 'vitest';
import { createScenario, podSurgePolicy } from '../simulator/scenario.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

const says = 'admission webhook "validate.kyverno.svc-fail" denied the request: bare pods are not allowed';

test.each(['no-owner', 'release'] as const)(
  'a workload whose pods can’t be released because of admission (%s) is evicted within its budget, and the others are surged',
  async (what) => {
    const world = createScenario();
    world.denials.push({ workload: 'web', what, says });
    const harness = await openHarness(world, {});
    const report = await harness.finish(await harness.start(podSurgePolicy()));
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.log.filter((line) => /pod web-\d+ .* released/.test(line))).toEqual([]);
    expect(world.log.filter((line) => /pod api-\d+ .* released/.test(line))).toHaveLength(4);
  },
);

test('where the policy requires their pod surge the run is refused, and the webhook quoted', async () => {
  const world = createScenario();
  world.denials.push({ workload: 'web', what: 'no-owner', says });
  const harness = await openHarness(world, {});
  const handle = await harness.start(podSurgePolicy({ mode: 'required' }));
  await expect(handle.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('denied the request: bare pods are not allowed') },
  });
  expect(world.log.filter((line) => line.endsWith('released'))).toEqual([]);
});
