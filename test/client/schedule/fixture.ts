import { zoneRulesOf } from '../../../adapters/time-zones/zone-rules.ts';
import { findOpenings, type Openings } from '../../../client/schedule/openings.ts';
import { requireSchedule, type ScheduledPolicy } from '../../../client/schedule/scheduled-policy.ts';
import type { SeenSchedule } from '../../../client/schedule/seen-schedule.ts';
import { parsePolicy } from '../../../policy-file/parse.ts';

/** A Wednesday, 10:00 in Berlin. */
export const now = Date.UTC(2026, 10, 25, 9);

/** Time zone of the schedules here, and when they are seen. */
export const berlin = { now, zone: zoneRulesOf('Europe/Berlin') };

const defaultSchedule = `
    timeZone: Europe/Berlin
    windows:
      - {days: [Mon, Tue, Wed, Thu], start: "22:00", end: "04:00"}
      - {weeks: [first], days: [Sat], start: "02:30", end: "05:00"}
    freezes: [{name: Christmas, from: 2026-12-18, to: 2027-01-06}]
    calendars: [{url: "https://calendar.example/releases.ics"}]`;

/** A policy with these upgrade windows, as they are written in YAML below `schedule:`. */
export function aScheduledPolicy(schedule = defaultSchedule): ScheduledPolicy {
  const parsed = parsePolicy(
    `apiVersion: nodeferry.dev/v1alpha1
kind: PoolUpgrade
metadata: {name: web}
spec:
  cluster: {name: prod, region: eu-west-1}
  pool: {name: web}
  target: {version: "1.36"}
  schedule:${schedule}
`,
    'policy.yaml',
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return requireSchedule(parsed.policy);
}

/** When its pool may be upgraded; its calendar was not read. */
export function openingsOf(policy: ScheduledPolicy, at = now): Openings {
  const { calendars } = policy.schedule;
  const unread = calendars.flatMap((calendar) =>
    'url' in calendar ? [{ calendar: calendar.url, reason: 'no answer.' }] : [],
  );
  return findOpenings(policy, {
    zone: zoneRulesOf(policy.schedule.timeZone),
    calendars: { periods: [], unread },
    now: at,
  });
}

/** A schedule that has just been created. */
export function aSchedule(changes: Partial<SeenSchedule> = {}): SeenSchedule {
  return {
    scheduleId: 'upgrade-windows/prod/web',
    cluster: 'prod',
    pool: 'web',
    newPool: 'web-1-36',
    version: '1.36',
    paused: false,
    note: 'created by ann: CVE-2026-1234',
    openings: openingsOf(aScheduledPolicy()),
    launches: [],
    taskQueue: 'nodeferry',
    createdAt: now,
    missed: 0,
    skipped: 0,
    ...changes,
  };
}
