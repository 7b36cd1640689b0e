/** What commands print that are not about the status of a run. */
import type { Versions } from '../../../client/commands/version.ts';
import type { Check } from '../../../client/doctor/check.ts';
import type { LoggedEvent } from '../../../client/events/run-event.ts';
import type { AppliedSchedule } from '../../../client/schedule/render-applied.ts';
import type { CheckedPolicy } from '../../../client/view/validation.ts';
import { startedAt } from '../run-status-fixture.ts';
import { nameOf } from './scenes.ts';

const found = { valid: false, problems: [], more: 0, warnings: [] };

/** Policies as `validate` finds them. */
export const checkedPolicies: readonly CheckedPolicy[] = [
  {
    ...found,
    file: 'clusters/prod-eu/web.yaml',
    valid: true,
    summary: {
      pool: 'prod-eu/web',
      target: 'web-1-36 (1.36)',
      windows: 'Mon, Tue, Wed, Thu 22:00-04:00 Europe/Berlin',
      rollout: '1 canary node with a soak of 30m, approval after the canary node, all new nodes at once',
    },
    warnings: [
      {
        file: 'clusters/prod-eu/web.yaml',
        line: 14,
        column: 5,
        field: 'spec.traffic.probes',
        message: 'the policy has no probes, so lost requests are not measured',
      },
    ],
  },
  {
    ...found,
    file: 'clusters/prod-us/web.yaml',
    problems: [
      {
        file: 'clusters/prod-us/web.yaml',
        line: 9,
        column: 7,
        field: 'spec.guard.maxInFligt',
        message: 'there is no such field',
        suggestion: 'maxInFlight',
      },
      {
        file: 'clusters/prod-us/web.yaml',
        line: 22,
        column: 20,
        field: 'spec.waits.deadlines.eviction',
        message: '"20" is not a duration, because it has no unit',
        allowed: 'a duration with units, for example 300ms, 15s, 5m or 1h30m',
      },
    ],
    more: 3,
  },
  { ...found, file: 'clusters/prod-ap/web.yaml', unreadable: 'There is no file clusters/prod-ap/web.yaml.' },
];

const about = { cluster: 'prod-eu', pool: 'web', run: 'run-1a2b3c4d' };

/** What happened in a run, each kind of line once. */
export const events: readonly LoggedEvent[] = [
  { ...about, id: '1', at: startedAt, type: 'run-started', message: 'started by ann@laptop: CVE-2026-1234' },
  { ...about, id: '2', at: startedAt + 90_000, type: 'phase-entered', phase: 'replace', message: 'phase replace' },
  {
    ...about,
    id: '3',
    at: startedAt + 130_000,
    type: 'stalled',
    node: nameOf(2),
    message:
      'stalled. DeadlineExceeded: timed out after 20m: pod shop/checkout-7d9f8b6c5-x2x9p: budget shop/checkout needs all of its 3 pods healthy',
  },
  {
    ...about,
    id: '4',
    at: startedAt + 190_000,
    type: 'operator-action',
    action: 'resume',
    message: 'resumed by ann@laptop: the budget spares a pod now',
  },
  { ...about, id: '5', at: startedAt + 400_000, type: 'node-replaced', node: nameOf(2), message: 'replaced' },
  { ...about, id: '6', at: startedAt + 754_000, type: 'run-ended', outcome: 'completed', message: 'completed' },
];

/** What `doctor` finds, in every state. */
export const checks: readonly Check[] = [
  { id: 'temporal.server', state: 'ok', found: 'version 1.31.2 at temporal.example.com:7233' },
  {
    id: 'temporal.namespace',
    state: 'warning',
    found: 'default keeps runs that have ended for 1d; their reports vanish with them',
    fix: 'Keep them for three days or longer:\ntemporal operator namespace update --namespace default --retention 72h',
  },
  {
    id: 'workers.pollers',
    state: 'failed',
    found: 'no worker has polled task queue nodeferry within five minutes',
    fix: 'Start a worker, or read the logs of those that run:\nnodeferry worker',
  },
  { id: 'workers.versions', state: 'unknown', found: 'not asked: there is no worker' },
];

/** Versions as `version --server` finds them. */
export const versions: Readonly<Record<string, Versions>> = {
  alone: { version: '0.1.0', node: 'v24.21.0' },
  'with a server and workers': {
    version: '0.1.0',
    node: 'v24.21.0',
    server: { address: 'temporal.example.com:7233', version: '1.31.2' },
    workers: [{ identity: '1@nodeferry-7d9f8b6c5-x2x9p', version: '0.1.0' }, { identity: '1@nodeferry-old' }],
  },
  'without an answer': {
    version: '0.1.0',
    node: 'v24.21.0',
    problem: { code: 'TemporalUnreachable', message: 'Temporal did not answer within 5 s' },
  },
};

/** What became of schedules. */
export const applied: Readonly<Record<string, AppliedSchedule>> = {
  'apply, created': { name: 'prod/web', change: 'create', dryRun: false, differences: [] },
  'apply, would be updated': {
    name: 'prod/web',
    change: 'update',
    dryRun: true,
    differences: [
      { field: 'target.version', from: '1.35', to: '1.36' },
      { field: 'schedule.freezes', to: 'Christmas 2026-12-18 to 2027-01-06' },
      { field: 'rollout.canary', from: '1 node, soak 30m' },
    ],
  },
};
