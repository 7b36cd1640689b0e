import { count } from '../../core/text/format.ts';
import type { TemporalConnection } from '../connect.ts';
import { listRuns } from '../list-runs.ts';
import type { Check } from './check.ts';

const id = 'runs.stalled';

/** The most runs that are listed. */
const limit = 20;

/** Checks that no run waits for an operator because a step has failed. */
export async function checkStalledRuns(connection: TemporalConnection): Promise<readonly Check[]> {
  const { runs, more } = await listRuns(connection, { all: false, stalled: true, limit });
  if (runs.length === 0) return [{ id, state: 'ok', found: 'no run is stalled' }];
  return [
    ...runs.map(
      ({ cluster, pool, phase }): Check => ({
        id,
        state: 'warning',
        found: `the run of ${cluster}/${pool} is stalled in phase ${phase}`,
        fix: `See why, and what to do:\nnodeferry explain ${cluster}/${pool}`,
      }),
    ),
    ...(more
      ? [
          {
            id,
            state: 'warning',
            found: `more than ${count(limit, 'run')} are stalled`,
            fix: 'nodeferry list --stalled',
          } as const,
        ]
      : []),
  ];
}
