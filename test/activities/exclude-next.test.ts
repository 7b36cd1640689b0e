import { describe, expect, test } from 'vitest';
import { createActivities } from '../../activities/activities.ts';
import type { ExcludeInput } from '../../activities/exclusion.ts';
import { poolLockOf } from '../../activities/fence.ts';
import type { NodeRef } from '../../core/model/node.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { Ports } from '../../ports/ports.ts';
import { excludedNodes, flap, serviceNamed } from '../simulator/disturbances.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { inActivity } from '../support/in-activity.ts';

const run = 'run-1';
const theLease = 'nodeferry-exclude';

/** What a test does before a call that matters: the call in words, and how often it was made before. */
type Strike = (world: World, call: string, times: number) => void | Promise<void>;

/** Calls of ports that matter here, in their order. */
function listen(ports: Ports, before: (call: string, times: number) => void | Promise<void>) {
  const calls: string[] = [];
  const watched: Record<string, (args: readonly unknown[]) => string | undefined> = {
    discover: () => 'discover',
    readTargets: ([groups]) => `read ${(groups as { service: string }[]).map(({ service }) => service).join(' ')}`,
    acquireLock: ([name]) => (name === theLease ? 'take Lease' : undefined),
    releaseLock: ([lock]) => ((lock as { name: string }).name === theLease ? 'give Lease back' : undefined),
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
  return { calls, ports: { ...ports, cluster: listenTo(ports.cluster), loadBalancers: listenTo(ports.loadBalancers) } };
}

/** A settled world in which the run holds its pool and all nodes wait for their turn. */
async function openScene(before: Strike = () => undefined, change: (policy: Policy) => Policy = (policy) => policy) {
  const world = createScenario();
  const policy = change(scenarioPolicy());
  world.leases.set(poolLockOf(policy), { holder: run, token: 1, expiresAt: world.clock.now() + 3_600_000 });
  const { calls, ports } = listen(createSimPorts(world), (call, times) => before(world, call, times));
  const activities = createActivities(ports);
  const { plan } = (await inActivity(world, 'preflight', async () => await activities.preflight({ run, policy }))) as {
    readonly plan: Pick<ExcludeInput, 'baselines'> & { readonly nodes: readonly NodeRef[] };
  };
  calls.length = 0;
  const input: ExcludeInput = {
    run,
    policy,
    sequence: 1,
    baselines: plan.baselines,
    inFlight: [],
    waiting: plan.nodes,
  };
  const environment = new MockActivityEnvironment({ activityId: 'step-out' });
  const excludeBatch = async () =>
    await inActivity(world, 'step-out', async () => await activities.excludeNext(input), environment);
  return { world, calls, excludeBatch, cancel: () => environment.cancel() };
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

/** A Service comes up of which nobody has read what stands behind it. */
function addService(world: World): void {
  const web = serviceNamed(world, 'web');
  world.services.push({ ...web, key: 'default/new', targets: [], view: [...web.view] });
}

describe('letting a node step out', () => {
  test('takes the Lease after all that is slow, and holds it for the reads that decide and the labels alone', async () => {
    const { world, calls, excludeBatch } = await openScene();

    await excludeBatch();
    world.clock.stop();

    const taken = calls.indexOf('take Lease');
    const labels = ['label', 'label'];
    expect(calls.slice(taken)).toEqual(['take Lease', expect.stringMatching(/^read /), ...labels, 'give Lease back']);
    expect(calls.lastIndexOf('discover')).toBeLessThan(taken);
    expect(excludedNodes(world)).toHaveLength(2);
  });

  test('discovers under no Lease, even when all that is known has grown old by then', async () => {
    const { world, calls, excludeBatch } = await openScene((scene, call, times) => {
      if (call === 'take Lease' && times === 0) scene.clock.advance(10 * 60_000);
    });

    await excludeBatch();
    world.clock.stop();

    const held = calls.map((call, index) =>
      calls.slice(0, index).lastIndexOf('take Lease') > calls.slice(0, index).lastIndexOf('give Lease back')
        ? call
        : '',
    );
    expect(held).not.toContain('discover');
    expect(held.filter((call) => call.startsWith('read ')).length).toBeGreaterThan(0);
  });

  test('is decided by the look under the Lease: what turned bad while it was waited for holds the node', async () => {
    let labelledAt: number | undefined;
    let failedAt = Number.POSITIVE_INFINITY;
    const { world, calls, excludeBatch } = await openScene((scene, call, times) => {
      if (call === 'label') labelledAt = scene.clock.now();
      if (call !== 'take Lease' || times > 0) return;
      failedAt = scene.clock.now();
      failOthers(scene);
    });

    await excludeBatch();
    world.clock.stop();

    expect(calls.indexOf('give Lease back')).toBeLessThan(calls.indexOf('label'));
    // Looks must have agreed anew since the targets were good again.
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

    expect(calls.filter((call) => call === 'take Lease')).toHaveLength(1);
    expect(expiresAt).toBeGreaterThan(taken);
  });

  test('waits when the node serves something else by now than what was read', async () => {
    const { world, calls, excludeBatch } = await openScene((scene, call, times) => {
      if (call === 'take Lease' && times === 0) addService(scene);
    });

    await excludeBatch();
    world.clock.stop();

    const taken = calls.indexOf('take Lease');
    const anew = ['give Lease back', 'discover', expect.stringMatching(/^read .*default\/new/)];
    expect(calls.slice(taken, taken + 4)).toEqual(['take Lease', ...anew]);
    expect(calls.slice(-5)).toEqual([
      'take Lease',
      expect.stringMatching(/^read .*default\/new/),
      'label',
      'label',
      'give Lease back',
    ]);
  });

  test.each([
    ['nothing happens', 2, () => undefined],
    ['pods of a Service fail', 1, (world: World) => flap(world, 'web', 60_000)],
    ['load balancers were read some seconds before', 1, (world: World) => world.clock.advance(3_000)],
    ['there is a Service that nobody has read', 1, addService],
  ] as const)('lets another go in the same moment, unless %s', async (_, gone, strike) => {
    const { world, excludeBatch } = await openScene((scene, call, times) => {
      if (call === 'label' && times === 0) strike(scene);
    });

    const out = await excludeBatch();
    world.clock.stop();

    expect(excludedNodes(world)).toHaveLength(gone);
    expect(out).toMatchObject({ outcome: 'done' });
    const told = out.outcome === 'done' ? [out, ...(out.others ?? [])] : [];
    const names = told.map(({ node }) => node.name);
    const because = expect.stringMatching(/^budget default\/web keeps \d of \d reachable pods, needs 2$/);
    for (const { evidence } of told) expect(evidence.at(-1)).toMatchObject({ kind: 'excluded', because });
    expect(names).toEqual(excludedNodes(world).map(({ name }) => name));
  });

  test('tells of those that have gone when the next can’t be labelled', async () => {
    const { world, excludeBatch } = await openScene((_, call, times) => {
      if (call === 'label' && times === 1) throw new NodeferryError({ code: 'ClusterUnreachable', message: 'away' });
    });

    const out = await excludeBatch();
    world.clock.stop();

    expect(out).toMatchObject({ outcome: 'done', node: { name: excludedNodes(world)[0]?.name } });
    expect(out).not.toHaveProperty('alongside');
  });

  test('lets nobody follow once the run is paused, and tells of the one that has gone', async () => {
    const { world, excludeBatch, cancel } = await openScene((_, call) => {
      if (call === 'label') cancel();
    });

    const out = await excludeBatch();
    world.clock.stop();

    expect(excludedNodes(world)).toHaveLength(1);
    expect(out).toMatchObject({ outcome: 'done', node: { name: excludedNodes(world)[0]?.name } });
  });

  test('finds all that an earlier attempt has let go, whether they went together or not', async () => {
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

  test.each([
    ['one alone, until the last', true, 1],
    ['two in each', false, 2],
  ])('lets go what all looks of the settling time allowed together: %s', async (_, fails, gone) => {
    const stabilizationMs = 12_000;
    let began: number | undefined;
    const { world, excludeBatch } = await openScene(
      (scene, call) => {
        if (!call.startsWith('read ') || began === undefined) return;
        const last = serviceNamed(scene, 'web').targets.at(-1);
        const isLate = scene.clock.now() - began >= 10_000;
        if (fails && last !== undefined) last.state = isLate ? 'healthy' : 'unhealthy';
      },
      (policy) => ({ ...policy, waits: { ...policy.waits, stabilizationMs } }),
    );

    began = world.clock.now();
    await excludeBatch();
    const takes = world.clock.now() - began;
    world.clock.stop();

    expect(takes).toBeGreaterThanOrEqual(stabilizationMs);
    expect(excludedNodes(world)).toHaveLength(gone);
  });
});
