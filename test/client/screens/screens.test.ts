/** Every screen that runs are seen on, and those of plans, lists, schedules and clean-ups, as operators see them. */
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../../client/cli.ts';
import { renderVersions } from '../../../client/commands/version.ts';
import { readCommands } from '../../../client/completion/command-tree.ts';
import { renderChecks } from '../../../client/doctor/render-checks.ts';
import { explainRun } from '../../../client/explain/explain-run.ts';
import { findTopic } from '../../../client/explain/topics.ts';
import { renderApplied } from '../../../client/schedule/render-applied.ts';
import { renderSchedule, renderSchedules } from '../../../client/schedule/render-schedule.ts';
import { renderAudit } from '../../../client/view/audit.ts';
import { describeChanges } from '../../../client/view/changes.ts';
import { renderCleanup } from '../../../client/view/cleanup.ts';
import { renderEvent } from '../../../client/view/event-line.ts';
import { renderPlan } from '../../../client/view/plan.ts';
import { renderReport } from '../../../client/view/report.ts';
import { renderRunExplanation } from '../../../client/view/run-explanation.ts';
import { renderRunList } from '../../../client/view/run-list.ts';
import { renderTopic } from '../../../client/view/topic.ts';
import { renderTree } from '../../../client/view/tree.ts';
import { renderValidation } from '../../../client/view/validation.ts';
import { poor, sound, withoutCloud } from '../audit/fixture.ts';
import { aSchedule, berlin } from '../schedule/fixture.ts';
import { applied, checkedPolicies, checks, events, versions } from './command-scenes.ts';
import { type Draw, drawn, golden } from './drawn.ts';
import { leftovers, plans, runs } from './other-scenes.ts';
import { ended, now, underWay } from './scenes.ts';

describe.each(Object.entries(underWay))('a run %s', (scene, run) => {
  test('in status and watch', async () => {
    await expect(drawn((style) => renderTree(run, now, style))).toMatchFileSnapshot(golden('status', scene));
  });

  test('in explain', async () => {
    const draw: Draw = (style) => renderRunExplanation(explainRun(run), now, style);
    await expect(drawn(draw)).toMatchFileSnapshot(golden('explain', scene));
  });
});

describe.each(Object.entries(ended))('a run that has ended: %s', (scene, report) => {
  test('in report', async () => {
    await expect(drawn((style) => renderReport(report, style))).toMatchFileSnapshot(golden('report', scene));
  });
});

/** Names of one topic of each kind. */
const topics = { 'a rule': 'WKL-003', 'a field': 'spec.nodeSurge', 'a problem code': 'LockHeld', 'an exit code': '69' };

const others: readonly (readonly [command: string, scene: string, draw: Draw])[] = [
  ...Object.entries(plans).map(
    ([scene, plan]) =>
      ['plan', scene, (style) => renderPlan(plan, style)] as const satisfies readonly [string, string, Draw],
  ),
  ['audit', 'poor', (style) => renderAudit(poor, style)],
  ['audit', 'sound', (style) => renderAudit(sound, style)],
  ['audit', 'without the cloud', (style) => renderAudit(withoutCloud, style)],
  ['list', 'several', (style) => renderRunList(runs, now, style)],
  ['list', 'none', (style) => renderRunList([], now, style)],
  ['schedule', 'describe', (style) => renderSchedule(aSchedule(), berlin, style)],
  ['schedule', 'list', (style) => renderSchedules([aSchedule(), aSchedule({ pool: 'batch', paused: true })], style)],
  ['schedule', 'list-none', (style) => renderSchedules([], style)],
  ...Object.entries(leftovers).map(
    ([scene, plan]) =>
      ['cleanup', scene, (style) => renderCleanup('prod-eu/web', plan, style)] as const satisfies readonly [
        string,
        string,
        Draw,
      ],
  ),
  ...Object.entries(versions).map(
    ([scene, found]) =>
      ['version', scene, () => renderVersions(found)] as const satisfies readonly [string, string, Draw],
  ),
  ...Object.entries(applied).map(
    ([scene, change]) =>
      ['schedule', scene, (style) => renderApplied(change, style)] as const satisfies readonly [string, string, Draw],
  ),
  ['validate', 'several', (style) => renderValidation(checkedPolicies, style)],
  ['doctor', 'every state', (style) => renderChecks(checks, style)],
  ...Object.entries(topics).map(
    ([scene, name]) =>
      ['explain', scene, (style) => renderTopic(topicOf(name), style)] as const satisfies readonly [
        string,
        string,
        Draw,
      ],
  ),
];

function topicOf(name: string) {
  const topic = findTopic(name);
  if (topic === undefined) throw new Error(`nothing explains ${name}`);
  return topic;
}

/** Lines that are added one by one. */
const logs: readonly (readonly [command: string, scene: string, draw: Draw])[] = [
  ['events', 'of a run', (style) => events.map((event) => renderEvent(event, style))],
  ...['stalled', 'paused', 'rolling back'].map(
    (scene) =>
      [
        'watch',
        `lines, ${scene}`,
        () => describeChanges(underWay['half way'], runOf(scene)),
      ] as const satisfies readonly [string, string, Draw],
  ),
];

function runOf(scene: string) {
  const run = underWay[scene];
  if (run === undefined) throw new Error(`there is no run ${scene}`);
  return run;
}

test.each(logs)('%s: %s', async (command, scene, draw) => {
  await expect(drawn(draw, { isLog: true })).toMatchFileSnapshot(golden(command, scene));
});

/** Where the screens of a command are kept; none where it prints logs of a process, or a script. */
const screensOf: Readonly<Record<string, readonly string[]>> = {
  validate: ['validate'],
  explain: ['explain'],
  plan: ['plan'],
  upgrade: ['plan', 'status', 'report'],
  drain: ['plan', 'status', 'report'],
  'schedule create': ['schedule'],
  'schedule apply': ['schedule'],
  'schedule list': ['schedule'],
  'schedule describe': ['schedule'],
  'schedule pause': ['schedule'],
  'schedule resume': ['schedule'],
  'schedule trigger': ['status', 'schedule'],
  'schedule delete': ['schedule'],
  list: ['list'],
  status: ['status', 'report'],
  watch: ['status', 'watch', 'report'],
  report: ['report'],
  events: ['events'],
  ...Object.fromEntries(
    [
      'pause',
      'resume',
      'abort',
      'rollback',
      'approve',
      'reject',
      'override-window',
      'set-concurrency',
      'accept-unprotected',
      'retry',
      'skip',
    ].map((name) => [name, ['status']]),
  ),
  audit: ['audit'],
  cleanup: ['cleanup'],
  doctor: ['doctor'],
  worker: [],
  dev: [],
  version: ['version'],
  completion: [],
};

test('every command has its screens here, and every screen a command', () => {
  const commands = readCommands(createProgram('nodeferry', () => undefined));
  const leaves = commands.filter(({ path, subcommands }) => !/^$|\bhelp$/.test(path) && subcommands.length === 0);
  expect(leaves.map(({ path }) => path).toSorted()).toEqual(Object.keys(screensOf).toSorted());
  const kept = readdirSync(dirname(dirname(golden('help', 'nodeferry'))));
  expect(kept.toSorted()).toEqual([...new Set(['help', ...Object.values(screensOf).flat()])].toSorted());
});

test.each(others)('%s: %s', async (command, scene, draw) => {
  await expect(drawn(draw)).toMatchFileSnapshot(golden(command, scene));
});
