import { describe, expect, test } from 'vitest';
import type { ExcludeInput } from '../../activities/exclusion.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Heartbeat } from '../../core/status/heartbeat.ts';
import type { Ports } from '../../ports/ports.ts';
import { breakApi, excludedNodes, flap, serviceNamed } from '../simulator/disturbances.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';
import { lockPool, run } from './lock-pool.ts';

const theLease = 'nodeferry-exclude';

/** What a test does before a call that matters: the call as text, and how often it was made before. */
type Strike = (world: World, call: string, times: number) => void | Promise<void>;

/** Keeps the calls of ports that matter here, in their order. */
function listen(ports: Ports, calls: string[], before: (call: string, times: number) => void | Promise<void>): Ports {
  const watched: Record<string, (args: readonly unknown[]) => string | undefined> = {
    discover: () => 'discover',
    readTargets: ([groups]) => `read ${(groups as { service: string }[]).map(({ service }) => service).join(' ')}`,
    acquireLock: ([name]) => (name === theLease ? 'acquire Lease' : undefined),
    releaseLock: ([lock]) => ((lock as { name: string }).name === theLease ? 'release Lease' : undefined),
    exclude: () => 'label',
  };
  const listenTo = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        const tell = watched[String(name)];
        if (tell === undefined || typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          const call = tell(args);
          if (call !== undefined) {
            await before(call, calls.filter((other) => other === call).length);
            calls.push(call);
          }
          return await member.apply(target, args);
        };
      },
    });
  return { ...ports, cluster: listenTo(ports.cluster), loadBalancers: listenTo(ports.loadBalancers) };
}

/** A stable world in which the run holds its pool and all nodes wait to be excluded. */
async function openScene(before: Strike = () => undefined, scene: UpgradeScene = {}) {
  const upgrade = upgradeOf(scene);
  const { world, policy } = upgrade;
  const calls: string[] = [];
  const locked = lockPool(upgrade, (ports) => listen(ports, calls, (call, times) => before(world, call, times)));
  const { activities, attempt, next, step } = locked;
  const { plan } = await step('preflight', async () => await activities.preflight({ run, policy }));
  calls.length = 0;
  const input: ExcludeInput = { ...next(), baselines: plan.baselines, inFlight: [], waiting: plan.nodes };
  const first = new MockActivityEnvironment({ activityId: 'exclude' });
  const excludeBatch = async (environment = first) =>
    await attempt('exclude', async () => await activities.excludeNext(input), environment);
  return { world, calls, excludeBatch, environment: first, cancel: () => first.cancel() };
}

/** All targets of Service `web` but that of the node turn bad at the load balancer, and stay so for a minute. */
function failOthers(world: World): void {
  const [first] = world.nodes;
  const web = world.services.find(({ key }) => key === 'default/web');
  const others = (web?.targets ?? []).filter(({ instanceId }) => instanceId !== first?.instanceId);
  for (const target of others) target.state = 'unhealthy';
  world.clock.at(world.clock.now() + 60_000, () => {
    for (const target of others) target.state = 'healthy';
  });
}

/** A Service appears whose target groups nobody has read. */
function addService(world: World): void {
  const web = serviceNamed(world, 'web');
  world.services.push({ ...web, key: 'default/new', targets: [], view: [...web.view] });
}

describe('excluding a node', () => {
  test('acquires the Lease after everything slow, and holds it only for the reads that decide and the labels', async () => {
    const { world, calls, excludeBatch } = await openScene();

    await excludeBatch();
    world.clock.stop();

    const taken = calls.indexOf('acquire Lease');
    const labels = ['label', 'label'];
    expect(calls.slice(taken)).toEqual(['acquire Lease', expect.stringMatching(/^read /), ...labels, 'release Lease']);
    expect(calls.lastIndexOf('discover')).toBeLessThan(taken);
    expect(excludedNodes(world)).toHaveLength(2);
  });

  test('discovers without the Lease, even when everything known is out of date by then', async () => {
    const { world, calls, excludeBatch } = await openScene((scene, call, times) => {
      if (call === 'acquire Lease' && times === 0) scene.clock.advance(10 * 60_000);
    });

    await excludeBatch();
    world.clock.stop();

    const held = calls.map((call, index) =>
      calls.slice(0, index).lastIndexOf('acquire Lease') > calls.slice(0, index).lastIndexOf('release Lease')
        ? call
        : '',
    );
    expect(held).not.toContain('discover');
    expect(held.filter((call) => call.startsWith('read ')).length).toBeGreaterThan(0);
  });

  test('is decided by the observation under the Lease: what became unhealthy during the wait blocks the node', async () => {
    let labelledAt: number | undefined;
    let failedAt = Number.POSITIVE_INFINITY;
    const { world, calls, excludeBatch } = await openScene((scene, call, times) => {
      if (call === 'label') labelledAt = scene.clock.now();
      if (call !== 'acquire Lease' || times > 0) return;
      failedAt = scene.clock.now();
      failOthers(scene);
    });

    await excludeBatch();
    world.clock.stop();

    expect(calls.indexOf('release Lease')).toBeLessThan(calls.indexOf('label'));
    // Observations must have agreed again since the targets were healthy again.
    expect(labelledAt).toBeGreaterThanOrEqual(failedAt + 60_000 + scenarioPolicy().waits.stabilizationMs);
  });

  test('keeps the Lease while the reads take longer than it lasts', async () => {
    let expiresAt: number | undefined;
    const { world, calls, excludeBatch } = await openScene(async (scene, call) => {
      if (!call.startsWith('read') || !scene.leases.has(theLease)) return;
      await scene.clock.sleep(100_000);
      expiresAt = scene.leases.get(theLease)?.expiresAt;
    });

    await excludeBatch();
    const taken = world.clock.now();
    world.clock.stop();

    expect(calls.filter((call) => call === 'acquire Lease')).toHaveLength(1);
    expect(expiresAt).toBeGreaterThan(taken);
  });

  test('waits when the node serves something by now that was not read', async () => {
    const { world, calls, excludeBatch } = await openScene((scene, call, times) => {
      if (call === 'acquire Lease' && times === 0) addService(scene);
    });

    await excludeBatch();
    world.clock.stop();

    const taken = calls.indexOf('acquire Lease');
    const anew = ['release Lease', 'discover', expect.stringMatching(/^read .*default\/new/)];
    expect(calls.slice(taken, taken + 4)).toEqual(['acquire Lease', ...anew]);
    expect(calls.slice(-5)).toEqual([
      'acquire Lease',
      expect.stringMatching(/^read .*default\/new/),
      'label',
      'label',
      'release Lease',
    ]);
  });

  test.each([
    ['nothing happens', 2, () => undefined],
    ['pods of a Service fail', 1, (world: World) => flap(world, 'web', 60_000)],
    ['load balancers were read some seconds before', 1, (world: World) => world.clock.advance(3_000)],
    ['there is a Service that nobody has read', 1, addService],
  ] as const)('excludes another in the same batch, unless %s', async (_, gone, strike) => {
    const { world, excludeBatch } = await openScene((scene, call, times) => {
      if (call === 'label' && times === 0) strike(scene);
    });

    const out = await excludeBatch();
    world.clock.stop();

    expect(excludedNodes(world)).toHaveLength(gone);
    expect(out).toMatchObject({ outcome: 'done' });
    const told = out.outcome === 'done' && 'node' in out ? [out, ...(out.others ?? [])] : [];
    const names = told.map(({ node }) => node.name);
    const because = expect.stringMatching(/^budget default\/web keeps \d of \d reachable pods, needs 2$/);
    for (const { evidence } of told) expect(evidence.at(-1)).toMatchObject({ kind: 'excluded', because });
    expect(names).toEqual(excludedNodes(world).map(({ name }) => name));
  });

  test('reports those that are excluded when the next can’t be labelled', async () => {
    const { world, excludeBatch } = await openScene((_, call, times) => {
      if (call === 'label' && times === 1) throw new NodeferryError({ code: 'ClusterUnreachable', message: 'away' });
    });

    const out = await excludeBatch();
    world.clock.stop();

    expect(out).toMatchObject({ outcome: 'done', node: { name: excludedNodes(world)[0]?.name } });
    expect(out).not.toHaveProperty('others');
  });

  test('excludes no other once the run is paused, and reports the one that is excluded', async () => {
    const { world, excludeBatch, cancel } = await openScene((_, call) => {
      if (call === 'label') cancel();
    });

    const out = await excludeBatch();
    world.clock.stop();

    expect(excludedNodes(world)).toHaveLength(1);
    expect(out).toMatchObject({ outcome: 'done', node: { name: excludedNodes(world)[0]?.name } });
  });

  test('finds all that an earlier attempt has excluded, together or not', async () => {
    const { world, excludeBatch } = await openScene();
    await excludeBatch();

    const again = await excludeBatch();
    world.clock.stop();

    expect(excludedNodes(world)).toHaveLength(2);
    const before = expect.objectContaining({ kind: 'excluded', detail: 'excluded already' });
    expect(again).toMatchObject({
      evidence: expect.arrayContaining([before]),
      others: [{ evidence: expect.arrayContaining([before]) }],
    });
  });

  test('waits as long again for a node that came back', async () => {
    const { world, excludeBatch } = await openScene();
    await excludeBatch();
    const names = excludedNodes(world).map(({ name }) => name);
    const { cluster } = createSimPorts(world);
    for (const node of excludedNodes(world)) await cluster.include(node, run);

    const back = world.clock.now();
    await excludeBatch();
    const takes = world.clock.now() - back;
    world.clock.stop();

    expect(excludedNodes(world).map(({ name }) => name)).toEqual(names);
    expect(takes).toBeGreaterThanOrEqual(scenarioPolicy().waits.stabilizationMs);
  });

  test.each([
    ['one alone, until the last', true, 1],
    ['two in each', false, 2],
  ])('excludes what all observations of the stabilization time allowed together: %s', async (_, fails, gone) => {
    const stabilizationMs = 12_000;
    let began: number | undefined;
    const { world, excludeBatch } = await openScene(
      (scene, call) => {
        if (!call.startsWith('read ') || began === undefined) return;
        const last = serviceNamed(scene, 'web').targets.at(-1);
        const isLate = scene.clock.now() - began >= 10_000;
        if (fails && last !== undefined) last.state = isLate ? 'healthy' : 'unhealthy';
      },
      { policy: { waits: { ...scenarioPolicy().waits, stabilizationMs } } },
    );

    began = world.clock.now();
    await excludeBatch();
    const takes = world.clock.now() - began;
    world.clock.stop();

    expect(takes).toBeGreaterThanOrEqual(stabilizationMs);
    expect(excludedNodes(world)).toHaveLength(gone);
  });
});

describe('the deadline of the guard', () => {
  const night = 10 * 3_600_000;

  test('stands still while the API server is away', async () => {
    const { world, excludeBatch } = await openScene();
    world.clock.at(world.clock.now() + 1_000, () => breakApi(world, night));

    const out = await excludeBatch();
    world.clock.stop();

    expect(world.clock.now()).toBeGreaterThan(night);
    expect(out).toMatchObject({ outcome: 'done' });
    expect(excludedNodes(world)).not.toEqual([]);
  });

  test('stands still while there is no worker', async () => {
    const { world, excludeBatch, environment } = await openScene();
    let heartbeatDetails: unknown;
    environment.on('heartbeat', (details: Heartbeat) => {
      heartbeatDetails = details;
      if (details.checkpoint !== undefined) environment.cancel();
    });
    await expect(excludeBatch()).rejects.toThrow();
    world.clock.advance(night);

    const out = await excludeBatch(new MockActivityEnvironment({ activityId: 'exclude', heartbeatDetails }));
    world.clock.stop();

    expect(out).toMatchObject({ outcome: 'done' });
    expect(excludedNodes(world)).not.toEqual([]);
  });

  test('passes while it can be observed that no node can be excluded', async () => {
    const { world, excludeBatch } = await openScene();
    for (const { name } of world.budgets) forbid(world, name);
    const began = world.clock.now();

    const out = await excludeBatch();
    world.clock.stop();

    expect(out).toMatchObject({ outcome: 'failed', problem: { code: 'DeadlineExceeded' } });
    const { guardMs } = scenarioPolicy().waits.deadlines;
    expect(world.clock.now() - began).toBeGreaterThanOrEqual(guardMs);
    expect(world.clock.now() - began).toBeLessThan(guardMs + 60_000);
  });
});

function forbid(world: World, name: string): void {
  const budget = world.budgets.find((one) => one.name === name);
  if (budget !== undefined) budget.maxUnavailable = 0;
}
