import { isInPlace } from '../core/policy/members.ts';
import { type Policy, poolRefOf } from '../core/policy/policy.ts';
import type { LearnedTimes } from '../core/schedule/needed-time.ts';
import type { WindowStatus } from '../core/schedule/window-status.ts';
import type { WindowGate, WindowQuestion } from '../operations/window-gate.ts';
import type { Ports } from '../ports/ports.ts';
import { type Outcome, pollUntil, retryUntilDone } from './polling.ts';

export type { WindowQuestion };

/** Whether a schedule has to start an upgrade, and why, or why not. */
interface LaunchCheck {
  readonly isDue: boolean;
  readonly reason: string;
}

/** Steps that deal with upgrade windows. */
export function createWindowSteps(
  { clock, pools, timings }: Pick<Ports, 'clock' | 'pools' | 'timings'>,
  gate: WindowGate,
) {
  return {
    /** Whether an upgrade window is open for long enough. */
    checkWindow: async (question: WindowQuestion): Promise<Outcome<{ window: WindowStatus }>> =>
      await retryUntilDone(
        {
          clock,
          what: 'checking the upgrade windows',
          hint: 'Check the time zone and the calendars of spec.schedule.',
        },
        async ({ now }) => ({ window: (await gate.check(question, now)).window }),
      ),

    /** Waits until an upgrade window is open for long enough. It has no deadline: the next window may be months away. */
    awaitWindow: async (question: WindowQuestion): Promise<Outcome> =>
      await pollUntil({
        clock,
        what: 'an upgrade window',
        deadlineMs: undefined,
        pollIntervalMs: 60_000,
        hint: 'Check the time zone and the calendars of spec.schedule.',
        poll: async ({ now }) => {
          const { window, checkAgainInMs } = await gate.check(question, now);
          if (window.mayStart) return { done: true, value: {} };
          return { done: false, reason: window.detail, requeueAfterMs: checkAgainInMs };
        },
      }),

    /** Whether an upgrade is to be started: the old pool exists, and a window is open. A schedule also fires where none is, because it knows no freezes. */
    checkLaunch: async ({ policy }: { policy: Policy }): Promise<Outcome<LaunchCheck>> =>
      await retryUntilDone(
        {
          clock,
          what: 'looking for the pool',
          hint: 'Check the cluster, its region and the permissions of the worker.',
        },
        async ({ now }) => {
          const { cluster, pool, target, schedule } = policy;
          const closed = schedule === undefined ? undefined : await gate.explainClosed(schedule, now);
          if (closed !== undefined) return { isDue: false, reason: `no upgrade window is open: ${closed}` };
          const ref = poolRefOf(policy);
          const found = await pools.findPool(ref);
          // A pool that is replaced in place is there afterwards, too.
          if (found !== undefined && isInPlace(policy) && found.version === target.version)
            return { isDue: false, reason: `${pool.name} has version ${found.version}` };
          if (found !== undefined) return { isDue: true, reason: 'its upgrade window opens' };
          const isReplaced = (await pools.findPool({ ...ref, name: target.poolName })) !== undefined;
          const reason = isReplaced
            ? `${target.poolName} has replaced ${pool.name}`
            : `there is no pool ${pool.name} in ${cluster.name}`;
          return { isDue: false, reason };
        },
      ),

    /** Remembers how long the nodes of a run took, ms by kind of load balancer. Counted once, however often it is called. */
    recordTimings: async ({ run, added }: { run: string; added: LearnedTimes }): Promise<Outcome> =>
      await retryUntilDone(
        {
          clock,
          what: 'recording durations',
          hint: 'Check access to ConfigMaps; it is needed for upgrade windows only.',
        },
        async () => {
          await timings.record(run, added);
          return {};
        },
      ),
  };
}
