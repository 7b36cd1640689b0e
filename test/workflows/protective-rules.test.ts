import { describe, expect, test } from 'vitest';
import type { ProtectiveRule } from '../../core/steps/steps.ts';
import type { Delays } from '../simulator/delays.ts';
import type { World } from '../simulator/world.ts';
import { expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** The world in which a rule matters, and the harm without it. */
interface Control {
  readonly rule: ProtectiveRule;
  readonly delays: Partial<Delays>;
  /** Delays that change once the cluster is up. */
  readonly later?: Partial<Delays>;
  readonly harm: (world: World) => boolean;
  readonly what: string;
}

const lost = (world: World) => world.traffic.lost > 0;

const controls: readonly Control[] = [
  {
    rule: 'wait-for-deregistration',
    what: 'requests are lost when the cloud controller is slow',
    delays: { cloudController: 100_000 },
    harm: lost,
  },
  {
    rule: 'wait-for-propagation',
    what: 'requests are lost that still arrive after deregistration',
    delays: { deregistration: 5_000 },
    harm: lost,
  },
  {
    rule: 'remove-endpoints-before-eviction',
    what: 'requests are lost that other nodes still forward to the pod',
    delays: {},
    harm: lost,
  },
  {
    rule: 'wait-for-forwarded-connections',
    what: 'connections through the node are cut',
    delays: {},
    harm: (world) => world.traffic.cut > 0,
  },
  {
    rule: 'remove-daemonset-endpoints',
    what: 'requests are lost to a DaemonSet endpoint on a terminated instance',
    delays: {},
    harm: lost,
  },
  {
    rule: 'wait-for-replacements',
    what: 'an instance terminates before its pods are replaced',
    delays: {},
    later: { podReady: 600_000 },
    harm: (world) => world.violations.some((line) => line.includes('terminated with')),
  },
  {
    rule: 'capacity-guard',
    what: 'fewer targets serve than the minimum serving',
    delays: {},
    harm: (world) => (world.fewestServing.get('default/web') ?? 0) < 2,
  },
];

describe('each protective rule', () => {
  test.each(controls)('$rule: without it $what, with it nothing is lost', async ({ rule, delays, later, harm }) => {
    const guard = { maxInFlight: rule === 'capacity-guard' ? 4 : 1 };
    // Without this budget the losses would pause the run before it ends.
    const traffic = { lossBudget: 1_000_000 };
    const without = upgradeOf({ delays, policy: { guard, traffic, disabledRules: [rule] } });
    without.world.delays = { ...without.world.delays, ...later };
    const unprotected = await without.start();
    await unprotected.handle.result();
    expect(harm(without.world), without.world.log.join('\n')).toBe(true);

    const { world, start } = upgradeOf({ delays, policy: { guard } });
    world.delays = { ...world.delays, ...later };
    const { handle } = await start();
    const report = await handle.result();
    expect(report.outcome).toBe('completed');
    expect(harm(world)).toBe(false);
    expectNothingLost(world);
  });
});
