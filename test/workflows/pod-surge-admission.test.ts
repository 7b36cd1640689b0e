/** Clusters whose admission forbids pods without an owner, or the release of pods. */
import { expect, test } from 'vitest';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const says = 'admission webhook "validate.kyverno.svc-fail" denied the request: bare pods are not allowed';

test.each(['no-owner', 'release'] as const)(
  'a workload whose pods can’t be released because of admission (%s) is evicted within its budget, and the others are surged',
  async (what) => {
    const { world, start } = upgradeOf({ podSurge: {} });
    world.denials.push({ workload: 'web', what, says });
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.log.filter((line) => /pod web-\d+ .* released/.test(line))).toEqual([]);
    expect(world.log.filter((line) => /pod api-\d+ .* released/.test(line))).toHaveLength(4);
  },
);

test('where the policy requires their pod surge the run is refused, and the webhook quoted', async () => {
  const { world, start } = upgradeOf({ podSurge: { mode: 'required' } });
  world.denials.push({ workload: 'web', what: 'no-owner', says });
  const { handle } = await start();
  await expect(handle.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('denied the request: bare pods are not allowed') },
  });
  expect(world.log.filter((line) => line.endsWith('released'))).toEqual([]);
});
