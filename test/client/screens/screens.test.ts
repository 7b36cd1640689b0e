/** Every screen that runs are seen on, and those of plans, lists, schedules and clean-ups, as operators see them. */
import { describe, expect, test } from 'vitest';
import { renderVersions } from '../../../client/commands/version.ts';
import { explainRun } from '../../../client/explain/explain-run.ts';
import { renderSchedule, renderSchedules } from '../../../client/schedule/render-schedule.ts';
import { renderAudit } from '../../../client/view/audit.ts';
import { renderCleanup } from '../../../client/view/cleanup.ts';
import { renderPlan } from '../../../client/view/plan.ts';
import { renderReport } from '../../../client/view/report.ts';
import { renderRunExplanation } from '../../../client/view/run-explanation.ts';
import { renderRunList } from '../../../client/view/run-list.ts';
import { renderTree } from '../../../client/view/tree.ts';
import { poor, sound, withoutCloud } from '../audit/fixture.ts';
import { aSchedule, berlin } from '../schedule/fixture.ts';
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
  ['version', 'alone', () => renderVersions({ version: '0.1.0', node: 'v24.21.0' })],
];

test.each(others)('%s: %s', async (command, scene, draw) => {
  await expect(drawn(draw)).toMatchFileSnapshot(golden(command, scene));
});
