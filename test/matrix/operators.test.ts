/** What operators do to a run under live traffic: windows, canary nodes, approvals, pauses. Nothing of it loses anything. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperatorCommand } from '../../client/operator-command.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { RolloutPolicy } from '../../core/rollout/rollout.ts';
import { type SchedulePolicy, weekdays } from '../../core/schedule/schedule.ts';
import type { RunReport } from '../../core/status/status.ts';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import { sendToRun } from '../support/describe-run.ts';
import { countReplaced, expectUnharmed } from '../support/disturbed-upgrade.ts';
import { type LabUpgrades, openLabUpgrades } from '../support/lab-upgrades.ts';
import { watchServiceLevels } from '../support/service-levels.ts';

let upgrades: LabUpgrades;
beforeAll(async () => {
  upgrades = await openLabUpgrades(disturbancesScenario);
});
afterAll(async () => {
  await upgrades?.close();
});

const minutesOfDay = 24 * 60;

/** A window of an hour that opens in six hours. */
function opensLater(): SchedulePolicy {
  const now = Math.floor(Date.now() / 60_000) % minutesOfDay;
  const startMinute = (now + 6 * 60) % minutesOfDay;
  const window = { days: weekdays, startMinute, endMinute: startMinute + 60 };
  return { timeZone: 'UTC', windows: [window], freezes: [], calendars: [] };
}

const canary: RolloutPolicy = {
  canary: { nodes: 1, soakMs: 10_000 },
  zones: [],
  approvals: { at: ['canary'], timeoutMs: undefined, onTimeout: 'stall' },
};

/** Says each of these once, in this order, to the run of a policy. */
function speaker(policy: Policy) {
  const said: OperatorCommand[] = [];
  return {
    said,
    say: async (command: OperatorCommand) => {
      if (said.includes(command)) return;
      said.push(command);
      await sendToRun(upgrades.session, policy, command);
    },
  };
}

function actionsOf({ actions }: RunReport): readonly string[] {
  return actions.map(({ action }) => action);
}

test('a window is overridden, a canary node approved, the run paused and resumed', async () => {
  await upgrades.beginClean();
  const levels = await watchServiceLevels(upgrades.session.lab.kubeconfigPath);
  const policy = { ...upgrades.nextPolicy({ podSurge: true }), schedule: opensLater(), rollout: canary };
  const { say, said } = speaker(policy);
  const replacedAt: number[] = [];
  const report = await upgrades.upgrade(policy, async (status) => {
    if (status.window?.mayStart === false) await say('override-window');
    if (status.approval !== undefined) {
      replacedAt.push(countReplaced(status));
      await say('approve');
    }
    if (said.includes('approve') && status.nodes.some(({ step }) => step === 'deregistering')) {
      await say('pause');
      await say('resume');
    }
  });
  expect(report.outcome).toBe('completed');
  expect(actionsOf(report)).toEqual(['start', 'override-window', 'approve', 'pause', 'resume']);
  expect(replacedAt[0]).toBe(1);
  await expectUnharmed(upgrades, report);
  expect(await levels.stop()).toEqual([]);
});

test('a canary node is rejected, and everything is as it was, on as many instances', async () => {
  await upgrades.beginClean();
  const levels = await watchServiceLevels(upgrades.session.lab.kubeconfigPath);
  const policy = { ...upgrades.nextPolicy({ podSurge: true }), rollout: canary };
  const { say } = speaker(policy);
  const report = await upgrades.upgrade(policy, async (status) => {
    if (status.approval !== undefined) await say('reject');
  });
  expect(report.outcome).toBe('aborted');
  expect(actionsOf(report)).toEqual(['start', 'reject']);
  expect(countReplaced(report)).toBeGreaterThan(0);
  await expectUnharmed(upgrades, report);
  expect(await levels.stop()).toEqual([]);
});
