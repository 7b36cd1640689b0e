import { NodeferryError } from '../../core/model/problem.ts';
import { count } from '../../core/text/format.ts';
import { printable } from '../../core/text/printable.ts';
import type { TemporalConnection } from '../connect.ts';
import { askInBatches } from '../in-batches.ts';
import { formatRunTarget, type RunTarget } from '../run-target.ts';
import { readOpenings } from '../schedule/read-openings.ts';
import { listSchedules, readSchedule } from '../schedule/schedules.ts';
import type { Check } from './check.ts';

/** Checks that every schedule will start an upgrade: it is not paused, and a window opens. */
export async function checkSchedules(connection: TemporalConnection, now: number): Promise<readonly Check[]> {
  const targets = await listSchedules(connection, undefined);
  if (targets.length === 0) return [{ id: 'schedules', state: 'ok', found: 'there is no schedule' }];
  const found = (await askInBatches(targets, async (target) => await checkSchedule(connection, target, now))).flat();
  if (found.length > 0) return found;
  return [
    {
      id: 'schedules',
      state: 'ok',
      found: `${count(targets.length, 'schedule')}, none is paused, all have an opening`,
    },
  ];
}

/** What is wrong with a schedule. One that was deleted meanwhile has nothing wrong. */
async function checkSchedule(
  connection: TemporalConnection,
  target: RunTarget,
  now: number,
): Promise<readonly Check[]> {
  const name = formatRunTarget(target);
  try {
    const { description, policy } = await readSchedule(connection, target);
    const { paused, note } = description.state;
    const { isOpen, next } = await readOpenings(policy, now);
    return [
      ...(paused ? [reportPaused(name, note)] : []),
      ...(isOpen || next.length > 0 ? [] : [reportNoOpening(name)]),
    ];
  } catch (error) {
    if (!(error instanceof NodeferryError)) throw error;
    const { code, message, hint } = error.problem;
    if (code === 'PoolNotFound') return [];
    if (code === 'TemporalUnreachable') throw error;
    return [{ id: 'schedules', state: 'warning', found: message, ...(hint === undefined ? {} : { fix: hint }) }];
  }
}

function reportPaused(name: string, note: string | undefined): Check {
  return {
    id: 'schedules.paused',
    state: 'warning',
    found: `the schedule of ${name} is paused${note ? `: ${printable(note, 200)}` : ''}`,
    fix: `Once the cause is fixed:\nnodeferry schedule resume ${name} --reason TEXT`,
  };
}

function reportNoOpening(name: string): Check {
  return {
    id: 'schedules.openings',
    state: 'warning',
    found: `no window of the schedule of ${name} opens within 400 days`,
    fix: `See its windows and freezes, then correct spec.schedule of its policy:\nnodeferry schedule describe ${name}\nnodeferry schedule apply -f POLICY`,
  };
}
