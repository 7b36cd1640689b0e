import { describe, expect, test } from 'vitest';
import { createLooking } from '../../activities/looking.ts';
import type { ServiceFacts } from '../../core/model/service.ts';
import type { Ports } from '../../ports/ports.ts';
import { aCluster, aGroup, aNode, anUnsupported, aService } from '../core/support/facts.ts';

/** Ports that answer from what they are given and count what they are asked. */
function portsOf(services: readonly ServiceFacts[]) {
  const asked = { discover: 0, refresh: 0 };
  const world = { services, now: 0 };
  const ports = {
    clock: { now: () => world.now, sleep: async () => undefined },
    cluster: { observe: async () => aCluster({ services: world.services }) },
    loadBalancers: {
      discover: async () => {
        asked.discover += 1;
        return { groups: [aGroup('web', [aNode('n1')])], unsupported: [anUnsupported('old')] };
      },
      refresh: async (groups: readonly unknown[]) => {
        asked.refresh += 1;
        return groups;
      },
    },
  } as unknown as Ports;
  return { looking: createLooking(ports), asked, world };
}

describe('a look at everything that serves', () => {
  test('tells of unsupported Services from what was discovered, as long as that is fresh', async () => {
    const { looking, asked, world } = portsOf([aService('web', []), aService('old', [])]);

    const looks = [await looking.serving(), await looking.serving()];
    world.now = 60_001;
    looks.push(await looking.serving());

    expect(looks.map((look) => look.unsupported)).toEqual(looks.map(() => [anUnsupported('old')]));
    expect(looks.map((look) => look.targetGroups.length)).toEqual([1, 1, 1]);
    expect(asked).toEqual({ discover: 2, refresh: 1 });
  });

  test('discovers once for all who ask at the same moment', async () => {
    const { looking, asked } = portsOf([aService('web', [])]);

    const looks = await Promise.all(Array.from({ length: 5 }, () => looking.serving()));

    expect(looks.every((look) => look.unsupported.length === 1)).toBe(true);
    expect(asked).toEqual({ discover: 1, refresh: 4 });
  });

  test('discovers anew when a Service with a load balancer appears', async () => {
    const { looking, asked, world } = portsOf([aService('web', [])]);

    await looking.serving();
    world.services = [...world.services, aService('old', [])];
    await looking.serving();

    expect(asked).toEqual({ discover: 2, refresh: 0 });
  });

  test('knows nothing from before when it is taken anew', async () => {
    const { looking, asked } = portsOf([aService('web', [])]);

    await looking.serving();
    await looking.servingAnew();

    expect(asked).toEqual({ discover: 2, refresh: 0 });
  });
});
