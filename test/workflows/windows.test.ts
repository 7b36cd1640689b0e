/** Runs with upgrade windows: they change what serves only while one is open for long enough, and lose nothing while they wait. */
import { describe, expect, test } from 'vitest';
import type { WindowRule } from '../../core/schedule/schedule.ts';
import { weekdays } from '../../core/schedule/schedule.ts';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import { abortUpdate, overrideWindowUpdate, pauseUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { fillPool } from '../simulator/pools.ts';
import type { World } from '../simulator/world.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const hourMs = 3_600_000;
/** When the simulated world begins: a Thursday, 00:00 UTC. */
const midnight = Date.UTC(2026, 0, 1);
const calendar = 'https://calendar.example.com/freezes.ics';
const operator = { by: 'ann', reason: 'it can not wait' };

function daily(from: number, to: number): WindowRule {
  return { days: weekdays, startMinute: 60 * from, endMinute: 60 * to };
}

/** When nodes were excluded and their instances gone, in hours after midnight. */
function timesOf({ nodes }: RunReport) {
  const hoursOf = (kind: string) =>
    nodes.flatMap(({ evidence }) =>
      evidence.filter((one) => one.kind === kind).map(({ at }) => (at - midnight) / hourMs),
    );
  return { excluded: hoursOf('excluded'), terminated: hoursOf('terminated') };
}

function expectUnharmed(world: World): void {
  expect(world.violations).toEqual([]);
  expect(world.traffic).toMatchObject({ lost: 0, cut: 0 });
}

describe('a run that is started before its window opens', () => {
  test('touches nothing until then, and says what it waits for and how to go on', async () => {
    const { world, harness, handle } = await upgradeOf({ policy: { schedule: { windows: [daily(2, 6)] } } }).start();
    const waits = await harness.until(
      handle,
      'it waits for its window',
      ({ waiting }) => waiting?.action !== undefined,
    );
    expect(waits.waiting?.for).toBe('an upgrade window: no window is open; continues Thu 02:00 (in 1h 48m)');
    expect(waits.waiting?.action).toContain('nodeferry override-window');
    expect(waits.phase).toBe('preflight');
    const report = await harness.finish(handle);
    const { excluded, terminated } = timesOf(report);
    expect(Math.min(...excluded)).toBeGreaterThanOrEqual(2);
    expect(Math.max(...terminated)).toBeLessThan(6);
    expect(report.outcome).toBe('completed');
    expect(world.pools.find(({ name }) => name === report.newPool)).toBeDefined();
    expectUnharmed(world);
  });

  test('plans anew when it opens, replaces the nodes that are there then, and reports what has changed', async () => {
    const { world, harness, handle } = await upgradeOf({ policy: { schedule: { windows: [daily(2, 6)] } } }).start();
    const waits = await harness.until(
      handle,
      'it waits for its window',
      ({ waiting }) => waiting?.action !== undefined,
    );
    expect(waits.nodes).toHaveLength(4);
    const pool = world.pools.find(({ name }) => name === 'web');
    if (pool === undefined) throw new Error('the world has no pool');
    pool.desiredSize += 1;
    fillPool(world, pool);
    world.changed();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.nodes).toHaveLength(5);
    expect(report.startedAt).toBe(waits.startedAt);
    expect(report.externalChanges.map(({ what }) => what).join()).toContain('1 node joined');
    expectUnharmed(world);
  });

  test('and is aborted meanwhile ends at once, and leaves nothing', async () => {
    const { world, harness, handle } = await upgradeOf({ policy: { schedule: { windows: [daily(2, 6)] } } }).start();
    await harness.until(handle, 'it waits for its window', ({ waiting }) => waiting?.action !== undefined);
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expect((world.clock.now() - midnight) / hourMs).toBeLessThan(2);
    expect(report.leftovers).toEqual([]);
  });

  test('and is paused meanwhile touches nothing when it opens, and after a late resume waits for the next one', async () => {
    const { world, start } = upgradeOf({ policy: { schedule: { windows: [daily(2, 6)] } } });
    const locked: number[] = [];
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'acquireLock') locked.push((world.clock.now() - midnight) / hourMs);
      },
    });
    await harness.until(handle, 'it waits for its window', ({ waiting }) => waiting?.action !== undefined);
    await handle.executeUpdate(pauseUpdate, { args: [operator] });
    const isOpen = ({ window }: RunStatus) => window?.mayStart === true;
    const paused = await harness.until(handle, 'the window has opened', isOpen);
    expect(paused).toMatchObject({ paused: operator, phase: 'preflight' });
    expect(paused.waiting).toBeUndefined();
    world.clock.advance(6 * hourMs);
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(locked).toHaveLength(1);
    expect(Math.min(...locked, ...timesOf(report).excluded)).toBeGreaterThanOrEqual(26);
    expectUnharmed(world);
  });

  test('continues at once when an operator overrides the windows, and records who and why', async () => {
    const { world, harness, handle } = await upgradeOf({ policy: { schedule: { windows: [daily(20, 22)] } } }).start();
    await harness.until(handle, 'it waits for its window', ({ waiting }) => waiting?.action !== undefined);
    await expect(handle.executeUpdate(overrideWindowUpdate, { args: [{ by: 'ann', reason: ' ' }] })).rejects.toThrow();
    await handle.executeUpdate(overrideWindowUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(Math.max(...timesOf(report).terminated)).toBeLessThan(20);
    expect(report.windowOverride).toMatchObject(operator);
    expect(report.actions).toContainEqual(expect.objectContaining({ action: 'override-window', ...operator }));
    await expect(handle.executeUpdate(overrideWindowUpdate, { args: [operator] })).rejects.toThrow();
    expectUnharmed(world);
  });
});

describe('a window that closes before all nodes are replaced', () => {
  /** One node at a time takes longer than each window lasts. */
  const oneByOne = { guard: { maxInFlight: 1 } };
  const windows = [daily(1, 4 / 3), daily(2, 7 / 3), daily(3, 10 / 3), daily(4, 13 / 3)];
  const isInside = (hours: number) => hours >= 1 && hours < 5 && hours % 1 < 1 / 3;

  test('starts no batch that can not finish, waits with everything serving, and continues at the next', async () => {
    const { world, harness, handle } = await upgradeOf({
      nodes: 12,
      policy: { ...oneByOne, schedule: { windows } },
    }).start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    const { excluded, terminated } = timesOf(report);
    expect(new Set(excluded.map((hours) => Math.floor(hours))).size).toBeGreaterThan(1);
    expect([...excluded, ...terminated].filter((hours) => !isInside(hours))).toEqual([]);
    expectUnharmed(world);
  });

  test('would not stop a run without windows: the control', async () => {
    const { harness, handle } = await upgradeOf({ nodes: 12, policy: oneByOne }).start();
    const report = await harness.finish(handle);
    const { excluded } = timesOf(report);
    expect(excluded.filter((hours) => !isInside(hours))).not.toEqual([]);
  });
});

describe('a calendar of freezes', () => {
  test('keeps the windows closed that it covers', async () => {
    const { world, start } = upgradeOf({
      policy: { schedule: { windows: [daily(2, 6)], calendars: [{ url: calendar }] } },
    });
    world.calendars[calendar] = [{ name: 'launch day', from: midnight, to: midnight + 20 * hourMs }];
    const { harness, handle } = await start();
    const waits = await harness.until(
      handle,
      'it waits for its window',
      ({ waiting }) => waiting?.action !== undefined,
    );
    expect(waits.waiting?.for).toContain('freeze launch day; continues Fri 02:00');
    const report = await harness.finish(handle);
    expect(Math.min(...timesOf(report).excluded)).toBeGreaterThanOrEqual(26);
    expectUnharmed(world);
  });

  test('that can’t be read keeps every window closed until it can, and the run names it', async () => {
    const { world, start } = upgradeOf({
      policy: { schedule: { windows: [daily(0, 24)], calendars: [{ url: calendar }] } },
    });
    world.clock.at(midnight + 3 * hourMs, () => {
      world.calendars[calendar] = [];
    });
    const { harness, handle } = await start();
    const waits = await harness.until(
      handle,
      'it waits for its window',
      ({ waiting }) => waiting?.action !== undefined,
    );
    expect(waits.waiting?.for).toContain(`${calendar}: 404 Not Found`);
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(Math.min(...timesOf(report).excluded)).toBeGreaterThanOrEqual(3);
  });
});

test('what nodes took is remembered, and decides in later windows', async () => {
  const { world, harness, handle } = await upgradeOf().start();
  await harness.finish(handle);
  const { learned, runs } = world.timings;
  expect(runs).toEqual(['run-1']);
  expect(Object.keys(learned)).toEqual(['elbv2-instance Cluster', 'elbv2-instance Local']);
  for (const durations of Object.values(learned)) expect(durations).toHaveLength(4);
});
