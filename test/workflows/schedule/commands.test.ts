import { describe, expect, onTestFinished, test } from 'vitest';
import { listSchedules } from '../../../client/schedule/schedules.ts';
import { attributesOf, scheduleId, workflowTypes } from '../../../workflows/messages.ts';
import { farWindow, openScheduledPool } from '../../support/schedule/scheduled-pool.ts';

/** A view without the time until an opening, which changes while a test runs. */
function withoutCountdown(view: string): string {
  return view.replaceAll(/ \(in [^)]+\)/g, '');
}

describe('nodeferry schedule', () => {
  test('creates a schedule, shows it, pauses it, resumes it and deletes it', async () => {
    const pool = await openScheduledPool();
    const { name, cluster } = pool;

    const created = await pool.run(['create', '-f', '-', '--reason', 'CVE-2026-1234'], pool.policy());
    expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining(`${name}   active   → web-1-36 (1.36)`) });
    expect(created.stdout).toMatch(/^windows {5}daily \d\d:\d\d-\d\d:\d\d UTC$/m);
    expect(created.stdout).toMatch(/^now {9}opens \w{3} \d\d:\d\d \(in (5h 5\dm|6h)\)$/m);
    expect(created.stderr).toContain(`Created the schedule of ${name}.`);
    expect(created.stderr).toContain(`warning: no worker polls task queue ${pool.taskQueue}`);

    const again = await pool.run(['create', '-f', '-'], pool.policy());
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('nodeferry schedule apply') });

    // The index behind the list is a moment late.
    const list = async () => await pool.run(['list', '--cluster', cluster, '-o', 'json']);
    await expect.poll(async () => JSON.parse((await list()).stdout)).toHaveLength(1);
    expect(JSON.parse((await list()).stdout)).toMatchObject([{ cluster, pool: 'web', paused: false, launches: [] }]);
    expect((await pool.run(['list', '--cluster', cluster])).stdout).toMatch(new RegExp(`^${name} +active +daily`, 'm'));

    const paused = await pool.run(['pause', name, '--reason', 'release week']);
    expect(paused).toMatchObject({ code: 0, stdout: expect.stringContaining('paused by ann: release week') });
    const described = await pool.run(['describe', name]);
    expect(described.code).toBe(3);
    expect(withoutCountdown(described.stdout)).toBe(withoutCountdown(paused.stdout));

    const resumed = await pool.run(['resume', name, '--reason', 'it is over']);
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('resumed by ann: it is over') });
    expect(await pool.run(['resume', name, '--reason', 'again'])).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('again'),
      stderr: expect.stringContaining('is not paused'),
    });
    expect(await pool.run(['describe', name])).toMatchObject({ code: 0 });

    expect(await pool.run(['delete', name])).toMatchObject({ code: 64, stderr: expect.stringContaining('--yes') });
    expect(await pool.run(['delete', name, '--yes'])).toMatchObject({ code: 0, stdout: `${name}: deleted\n` });
    await expect.poll(async () => (await pool.run(['describe', name])).code).toBe(64);
    await expect.poll(async () => JSON.parse((await list()).stdout)).toEqual([]);
  });

  test('lists the other schedules when one cannot be read, and names it, with exit code 1', async () => {
    const pool = await openScheduledPool();
    const { cluster, taskQueue, connection } = pool;
    await pool.run(['create', '-f', '-'], pool.policy());
    for (const [broken, policy] of [
      ['of-another-form', { schedule: {} }],
      ['without-policy', undefined],
    ] as const) {
      const handle = await connection.client.schedule.create({
        scheduleId: scheduleId(cluster, broken),
        spec: {},
        action: {
          type: 'startWorkflow',
          workflowType: workflowTypes.windowLauncher,
          workflowId: `broken-${cluster}-${broken}`,
          taskQueue,
          args: [{ policy }],
        },
        typedSearchAttributes: attributesOf(cluster, broken),
      });
      onTestFinished(async () => await handle.delete());
    }
    await expect.poll(async () => (await listSchedules(connection, cluster)).length).toBe(3);

    const list = await pool.run(['list', '--cluster', cluster]);
    const data = await pool.run(['list', '--cluster', cluster, '-o', 'json']);

    expect(list.code).toBe(1);
    expect(list.stdout).toMatch(new RegExp(`^${pool.name} +active`, 'm'));
    expect(list.stderr).toContain(`The schedule of ${cluster}/of-another-form cannot be read: its policy`);
    expect(list.stderr).toContain(`The schedule of ${cluster}/without-policy cannot be read: `);
    expect(JSON.parse(data.stdout)).toMatchObject([{ cluster, pool: 'web' }]);
  });

  test.each([['describe'], ['pause', '--reason', 'x'], ['resume', '--reason', 'x'], ['trigger'], ['delete', '--yes']])(
    'says that there is no schedule to %s, and how to get one',
    async (command, ...options) => {
      const pool = await openScheduledPool();

      const refused = await pool.run([command, pool.name, ...options]);

      expect(refused).toMatchObject({ code: 64, stdout: '' });
      expect(refused.stderr).toContain(`There is no schedule for ${pool.name}.`);
      expect(refused.stderr).toContain('nodeferry schedule create');
    },
  );

  test('never runs two launchers, pauses after a failure, and catches up for as long as a window lasts', async () => {
    const pool = await openScheduledPool();
    const now = Date.now();
    const windows = [farWindow(now), { days: ['Sat'], start: '00:00', end: '24:00' }];

    await pool.run(['create', '-f', '-'], pool.policy({ schedule: { timeZone: 'UTC', windows } }));

    const { policies, action, typedSearchAttributes, info, state } = await pool.handle.describe();
    expect(policies).toEqual({ overlap: 'SKIP', catchupWindow: 24 * 3_600_000, pauseOnFailure: true });
    expect(action).toMatchObject({
      workflowType: 'windowLauncher',
      workflowId: `window-launcher/${pool.name}`,
      taskQueue: pool.taskQueue,
      args: [{ schedule: `upgrade-windows/${pool.name}`, policy: { target: { poolName: 'web-1-36' } } }],
      staticSummary: `${pool.name} → web-1-36`,
    });
    // Temporal returns them in any order.
    const attributes = typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
    expect(Object.fromEntries(attributes)).toEqual({ NodeferryCluster: pool.cluster, NodeferryPool: 'web' });
    expect(state.paused).toBe(false);
    // Without freezes, Temporal fires at exactly the openings that are shown.
    const shown = (await pool.describe()).openings.next.map(({ opensAt }) => opensAt);
    const fires = info.nextActionTimes.map((at) => at.getTime());
    expect(fires).toEqual(expect.arrayContaining(shown));
  });

  test('applies a policy: creates, changes nothing, updates, and stays paused', async () => {
    const pool = await openScheduledPool();
    const { name } = pool;
    const apply = async (spec: object, ...options: string[]) =>
      await pool.run(['apply', '-f', '-', ...options], pool.policy({ ...spec }));
    const schedule = { timeZone: 'UTC', windows: [farWindow()] };

    expect(await apply({ schedule }, '--dry-run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${name}: would be created`),
    });
    expect((await pool.run(['describe', name])).code).toBe(64);
    expect((await apply({ schedule })).stdout).toContain(`${name}: created`);
    expect((await apply({ schedule })).stdout).toContain(`${name}: unchanged`);
    await pool.run(['pause', name, '--reason', 'release week']);

    const guard = { maxInFlight: 3 };
    const change = `  ~ guard.maxInFlight: 100 → 3\n`;
    const dry = await apply({ schedule, guard }, '--dry-run');
    expect(dry.stdout).toContain(`${name}: would be updated\n${change}`);
    const updated = await apply({ schedule, guard });
    expect(updated.stdout).toContain(`${name}: updated\n${change}`);
    expect(updated.stderr).toContain('It is paused and stays so: paused by ann: release week');
    expect(await pool.describe()).toMatchObject({ paused: true, note: 'paused by ann: release week' });
    expect((await apply({ schedule, guard })).stdout).toContain(`${name}: unchanged`);
  });

  test('applies its settings again where somebody has changed them by hand', async () => {
    const pool = await openScheduledPool();
    const policy = pool.policy();
    await pool.run(['create', '-f', '-'], policy);
    await pool.handle.update((before) => ({
      ...before,
      policies: { ...before.policies, overlap: 'ALLOW_ALL', pauseOnFailure: false },
    }));

    const applied = JSON.parse((await pool.run(['apply', '-f', '-', '-o', 'json'], policy)).stdout);

    expect(applied).toMatchObject({ change: 'update', paused: false });
    expect(applied.differences).toEqual([
      { field: 'overlap policy', from: 'ALLOW_ALL', to: 'SKIP' },
      { field: 'pause on failure', from: 'false', to: 'true' },
    ]);
    expect((await pool.handle.describe()).policies).toMatchObject({ overlap: 'SKIP', pauseOnFailure: true });
  });

  test('applies its times again where somebody has changed them by hand, and only then', async () => {
    const pool = await openScheduledPool();
    // Every kind of time: all days, some days, some weeks, and openings that clock changes move.
    const windows = [
      { start: '02:30', end: '05:00' },
      { days: ['Mon', 'Wed'], start: '22:00', end: '04:00' },
      { weeks: ['first', 'last'], days: ['Sat'], start: '00:00', end: '24:00' },
    ];
    const policy = pool.policy({ schedule: { timeZone: 'Europe/Berlin', windows } });
    await pool.run(['create', '-f', '-', '--paused'], policy);
    const apply = async () => JSON.parse((await pool.run(['apply', '-f', '-', '-o', 'json'], policy)).stdout);
    const right = (await pool.handle.describe()).spec.calendars;

    expect(await apply()).toMatchObject({ change: 'none', differences: [] });
    await pool.handle.update((before) => ({ ...before, spec: { timezone: 'UTC', calendars: [{ hour: 3 }] } }));
    expect(await apply()).toMatchObject({ change: 'update', differences: [{ field: 'times in Temporal' }] });

    expect((await pool.handle.describe()).spec).toMatchObject({ timezone: 'Europe/Berlin', calendars: right });
    expect(await apply()).toMatchObject({ change: 'none' });
  });

  test('leaves a schedule alone that starts something else', async () => {
    const pool = await openScheduledPool();
    await pool.connection.client.schedule.create({
      scheduleId: pool.handle.scheduleId,
      spec: {},
      action: { type: 'startWorkflow', workflowType: 'other', taskQueue: 'other' },
    });

    for (const command of [
      ['apply', '-f', '-'],
      ['delete', pool.name, '--yes'],
      ['describe', pool.name],
    ])
      expect(await pool.run(command, pool.policy())).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('was not created by nodeferry: it starts other'),
      });
    expect((await pool.handle.describe()).action.workflowType).toBe('other');
  });
});
