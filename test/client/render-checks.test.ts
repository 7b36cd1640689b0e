import { describe, expect, test } from 'vitest';
import type { Check } from '../../client/doctor/check.ts';
import { renderChecks } from '../../client/doctor/render-checks.ts';
import { plainStyle } from '../../client/output/style.ts';
import { checks as inEveryState } from './screens/command-scenes.ts';

const checks: readonly Check[] = [
  ...inEveryState,
  {
    id: 'runs.steps',
    state: 'failed',
    found: 'pool-upgrade/prod-eu/web waits for a worker that knows awaitQuorum: a newer version has started it',
    fix: 'Update all workers to the version of the newest.',
  },
];

describe('renderChecks', () => {
  test('fits 80 columns, except for commands, which can be copied', () => {
    expect(`\n${renderChecks(checks, { ...plainStyle, width: 80 }).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      ok        temporal.server      version 1.31.2 at temporal.example.com:7233
      warning   temporal.namespace   default keeps runs that have ended for 1d; their
                  reports vanish with them
                  fix: Keep them for three days or longer:
                  temporal operator namespace update --namespace default --retention 72h
      failed    workers.pollers      no worker has polled task queue nodeferry within
                  five minutes
                  fix: Start a worker, or read the logs of those that run:
                  nodeferry worker
      unknown   workers.versions     not asked: there is no worker
      failed    runs.steps           pool-upgrade/prod-eu/web waits for a worker that
                  knows awaitQuorum: a newer version has started it
                  fix: Update all workers to the version of the newest.

      2 failed, 1 unknown, 1 warning, 1 ok
      "
    `);
  });

  test('fits 160 columns', () => {
    expect(`\n${renderChecks(checks, { ...plainStyle, width: 160 }).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      ok        temporal.server      version 1.31.2 at temporal.example.com:7233
      warning   temporal.namespace   default keeps runs that have ended for 1d; their reports vanish with them
                  fix: Keep them for three days or longer:
                  temporal operator namespace update --namespace default --retention 72h
      failed    workers.pollers      no worker has polled task queue nodeferry within five minutes
                  fix: Start a worker, or read the logs of those that run:
                  nodeferry worker
      unknown   workers.versions     not asked: there is no worker
      failed    runs.steps           pool-upgrade/prod-eu/web waits for a worker that knows awaitQuorum: a newer version has started it
                  fix: Update all workers to the version of the newest.

      2 failed, 1 unknown, 1 warning, 1 ok
      "
    `);
  });

  test('draws the same into a file, without breaking any line', () => {
    const lines = renderChecks(checks, plainStyle);

    expect(lines).toContain(
      'failed    runs.steps           pool-upgrade/prod-eu/web waits for a worker that knows awaitQuorum: a newer version has started it',
    );
    expect(lines.at(-1)).toBe('2 failed, 1 unknown, 1 warning, 1 ok');
  });
});
