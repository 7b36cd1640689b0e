/** Target groups that never have a healthy target: of a port on which nothing answers, or whose health check does not understand the PROXY header. */
import { describe, expect, test } from 'vitest';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

function withFailingChecks(failingChecks: 'second' | 'both') {
  const upgrade = upgradeOf({ policy: { guard: { maxInFlight: 4 } } });
  const { world } = upgrade;
  for (const service of world.services) service.failingChecks = failingChecks;
  return upgrade;
}

describe('a target group without any healthy target', () => {
  test.each([
    ['hides nothing of what another serves', 'second'],
    ['that is the only sort that a Service has leaves it protected', 'both'],
  ] as const)('%s, and nobody waits for it', async (_, failingChecks) => {
    const { world, start } = withFailingChecks(failingChecks);
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report).toMatchObject({ outcome: 'completed' });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    const times = report.nodes.flatMap(({ evidence }) => evidence.find(({ kind }) => kind === 'excluded')?.at ?? []);
    const together = [...Map.groupBy(times, (at) => at).values()].map(({ length }) => length);
    expect([times.length, Math.max(...together)], world.log.join('\n')).toEqual([4, 2]);
  });
});
