import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../support/command-line.ts';
import {
  endUpgrade,
  openScheduledPool,
  type ScheduledPool,
  startScheduledWorker,
  untilUpgrading,
} from '../../support/schedule/scheduled-pool.ts';

/** Has the schedule fire in five seconds, by a calendar of its own: those of policies know minutes only. */
async function fireSoon({ handle }: ScheduledPool): Promise<Date> {
  const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 5_000);
  const [hour, minute, second] = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()];
  await handle.update((before) => ({
    ...before,
    spec: { timezone: 'UTC', calendars: [{ hour, minute, second }] },
  }));
  return at;
}

/** A pool whose schedule has just started an upgrade. */
async function openUpgrading(): Promise<ScheduledPool> {
  const pool = await openScheduledPool();
  await startScheduledWorker(pool);
  await pool.run(['create', '-f', '-'], pool.policy());
  const triggered = await pool.run(['trigger', pool.name]);
  expect(triggered).toMatchObject({ code: 0, stdout: expect.stringMatching(`^window-launcher/${pool.name}-`) });
  expect(triggered.stderr).toContain(`Started the upgrade of ${pool.name} (workflow pool-upgrade/${pool.name}).`);
  expect(triggered.stderr).toContain(`nodeferry override-window ${pool.name} --reason <why>`);
  return pool;
}

describe('a schedule', () => {
  test('starts the upgrade of its pool when a window opens, under the one ID that the pool has', async () => {
    const pool = await openScheduledPool();
    await startScheduledWorker(pool);
    await pool.run(['create', '-f', '-'], pool.policy());

    const at = await fireSoon(pool);
    await untilUpgrading(pool);

    expect(await pool.describe()).toMatchObject({
      run: { workflowId: `pool-upgrade/${pool.name}` },
      launches: [
        {
          at: at.getTime(),
          workflowId: expect.stringMatching(`^window-launcher/${pool.name}-20\\d\\d-`),
          outcome: 'running',
        },
      ],
    });
    await endUpgrade(pool, 'completed');
    const ended = await pool.until('the launch has ended', ({ launches }) => launches[0]?.outcome === 'started');
    expect(ended).toMatchObject({ paused: false, launches: [{ detail: 'replaced by web-1-36' }] });
    expect(ended.run).toBeUndefined();
  });

  test('starts no second upgrade while one is under way, and says so to whoever triggers it', async () => {
    const pool = await openUpgrading();
    const first = (await pool.upgrade.describe()).runId;

    const refused = await pool.run(['trigger', pool.name]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`An upgrade of ${pool.name} is under way already; nothing was started.`);
    expect(refused.stderr).toContain(`nodeferry watch ${pool.name}`);

    // An opening that comes meanwhile is skipped.
    await fireSoon(pool);
    const skipped = await pool.until('the opening was skipped', (schedule) => schedule.skipped === 1);
    expect(skipped.launches).toHaveLength(1);
    expect((await pool.upgrade.describe()).runId).toBe(first);
  });

  test('starts nothing beside an upgrade that somebody else has started', async () => {
    const pool = await openScheduledPool();
    await startScheduledWorker(pool);
    await pool.run(['create', '-f', '-'], pool.policy());
    const { args } = (await pool.handle.describe()).action;
    const [{ policy }] = args as [{ policy: unknown }];
    await pool.connection.client.workflow.start('poolUpgrade', {
      workflowId: pool.upgrade.workflowId,
      taskQueue: pool.taskQueue,
      args: [{ run: 'run-1', policy, by: 'ann', reason: 'by hand' }],
    });

    expect(await pool.run(['trigger', pool.name])).toMatchObject({ code: 1 });
    await fireSoon(pool);

    const ended = await pool.until('the launch has ended', ({ launches }) => launches[0]?.outcome === 'skipped');
    expect(ended).toMatchObject({
      paused: false,
      launches: [{ detail: 'an upgrade of the pool is under way already' }],
    });
  });

  test.each([
    ['aborted', 'the upgrade was aborted by ann: a test'],
    ['failed', 'nodes never became Ready'],
  ] as const)('pauses when an upgrade has %s, and shows why until it is resumed', async (ending, why) => {
    const pool = await openUpgrading();

    await endUpgrade(pool, ending);

    const paused = await pool.until('it is paused', (schedule) => schedule.paused);
    expect(paused.launches).toMatchObject([{ outcome: 'failed', detail: why }]);
    const shown = await pool.run(['describe', pool.name]);
    expect(shown.code).toBe(3);
    expect(shown.stdout).toMatch(/^why {9}paused due to workflow failure/m);
    expect(shown.stdout).toContain(`failed: ${why}`);
    expect(shown.stdout).toContain(`nodeferry schedule resume ${pool.name} --reason <why>`);

    await pool.run(['resume', pool.name, '--reason', 'the image is fixed']);
    expect(await pool.describe()).toMatchObject({ paused: false, note: 'resumed by ann: the image is fixed' });
  });

  test('does not repeat the openings that have passed while it was paused', async () => {
    const pool = await openScheduledPool();
    await startScheduledWorker(pool);
    await pool.run(['create', '-f', '-', '--paused'], pool.policy());
    const missed = await fireSoon(pool);
    await expect.poll(() => Date.now()).toBeGreaterThan(missed.getTime() + 1_000);

    await pool.run(['resume', pool.name, '--reason', 'a test']);
    const next = await fireSoon(pool);

    const launched = await pool.until('it has launched', ({ launches }) => launches.length > 0);
    expect(launched.launches.map(({ at }) => at)).toEqual([next.getTime()]);
  });

  test('says that there is nothing to upgrade', async () => {
    const pool = await openScheduledPool();
    await startScheduledWorker(pool, { isDue: false, reason: 'web-1-36 has replaced web' });
    await pool.run(['create', '-f', '-', '--paused'], pool.policy());

    const triggered = await pool.run(['trigger', pool.name]);

    expect(triggered).toMatchObject({ code: 0 });
    expect(triggered.stderr).toContain('The schedule is paused and stays so.');
    expect(triggered.stderr).toContain('Nothing was started: web-1-36 has replaced web.');
  });

  test('does not end the upgrade that is under way when it is paused or deleted', async () => {
    const pool = await openUpgrading();

    const paused = await pool.run(['pause', pool.name, '--reason', 'release week']);
    const deleted = await pool.run(['delete', pool.name, '--yes', '-o', 'json']);

    expect(paused.stderr).toContain(`is under way and continues; to pause it too: nodeferry pause ${pool.name}`);
    expect(deleted.stderr).toContain(`is under way and continues: nodeferry watch ${pool.name}`);
    expect(JSON.parse(deleted.stdout)).toMatchObject({ deleted: true, isUnderWay: true });
    expect((await pool.upgrade.describe()).status.name).toBe('RUNNING');
  });

  test('is not triggered where no worker polls', async () => {
    const pool = await openScheduledPool();
    await pool.run(['create', '-f', '-'], pool.policy());

    const refused = await pool.run(['trigger', pool.name]);

    expect(refused).toMatchObject({ code: 69, stderr: expect.stringContaining('so nothing was started') });
    expect((await pool.handle.describe()).info.recentActions).toEqual([]);
  });
});

test('an upgrade that is started by hand says when its upgrade window opens, and how to continue at once', async () => {
  const pool = await openScheduledPool();
  await startScheduledWorker(pool);
  const env = { TEMPORAL_ADDRESS: pool.connection.address, NODEFERRY_TASK_QUEUE: pool.taskQueue };

  const started = await runCommandLine(['upgrade', '-f', '-', '--yes', '--detach'], { input: pool.policy(), env });

  expect(started.code).toBe(0);
  expect(started.stderr).toMatch(/in its upgrade windows only: opens \w{3} \d\d:\d\d \(in (5h 5\dm|6h)\)/);
  expect(started.stderr).toContain(`nodeferry override-window ${pool.name} --reason <why>`);
});
