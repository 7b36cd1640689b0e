import { describe, expect, test } from 'vitest';
import { plainStyle } from '../../client/output/style.ts';
import { type ListedRun, renderRunList } from '../../client/view/run-list.ts';
import { startedAt } from './run-status-fixture.ts';

const run: ListedRun = {
  cluster: 'prod-eu',
  pool: 'web',
  run: 'run-1a2b3c4d',
  state: 'rolling-back',
  phase: 'rolling-back',
  startedAt,
  newPool: 'web-1-36',
  version: '1.36',
  workflowId: 'pool-upgrade/prod-eu/web',
  workflowRunId: 'e5d0',
};
const { run: _run, version: _version, newPool: _newPool, ...old } = run;
const runs: readonly ListedRun[] = [
  run,
  { ...old, pool: 'batch', state: 'stalled', startedAt: startedAt - 200_000_000 },
  { ...run, pool: 'api', newPool: 'api-new', state: 'completed', phase: 'completed', closedAt: startedAt + 3_000_000 },
];
const now = startedAt + 7_200_000;

describe('renderRunList', () => {
  test('fits 70 columns; the ID of a run is left out where its pool names it', () => {
    expect(
      `\n${renderRunList(runs.slice(0, 2), now, { ...plainStyle, width: 70 }).join('\n')}\n`,
    ).toMatchInlineSnapshot(`
      "
      CLUSTER/POOL    STATE          STARTED       ELAPSED   TARGET
      prod-eu/web     rolling back   Jan 2 03:04   2h        web-1-36
      prod-eu/batch   stalled        2025-12-30    2d 10h    -
      "
    `);
  });

  test('keeps the IDs of runs that have ended: only these name them', () => {
    expect(`\n${renderRunList(runs, now, { ...plainStyle, width: 80 }).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      CLUSTER/POOL    RUN            STATE          STARTED       ELAPSED
      prod-eu/web     run-1a2b3c4d   rolling back   Jan 2 03:04   2h
      prod-eu/batch   e5d0           stalled        2025-12-30    2d 10h
      prod-eu/api     run-1a2b3c4d   completed      Jan 2 03:04   50m
      "
    `);
  });

  test('fits 160 columns', () => {
    expect(`\n${renderRunList(runs, now, { ...plainStyle, width: 160 }).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      CLUSTER/POOL    RUN            STATE          STARTED       ELAPSED   TARGET
      prod-eu/web     run-1a2b3c4d   rolling back   Jan 2 03:04   2h        web-1-36
      prod-eu/batch   e5d0           stalled        2025-12-30    2d 10h    -
      prod-eu/api     run-1a2b3c4d   completed      Jan 2 03:04   50m       api-new (1.36)
      "
    `);
  });
});
