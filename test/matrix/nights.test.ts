/** Two nights of an operator, by the commands that a user types, on Temporal's own schedules and under live traffic: nothing is lost. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fetchRun } from '../../client/fetch-status.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { weekdays } from '../../core/schedule/schedule.ts';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import { until } from '../../lab/process.ts';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import { parsePolicy } from '../../policy-file/parse.ts';
import { countReplaced, expectUnharmed } from '../support/disturbed-upgrade.ts';
import { followToEnd } from '../support/follow-to-end.ts';
import { type LabOperator, labPool, operatorOf } from '../support/lab-operator.ts';
import { type LabUpgrades, openLabUpgrades } from '../support/lab-upgrades.ts';
import { poolInCloud } from '../support/pool-in-cloud.ts';

const target = { cluster: 'lab', pool: 'web' };
/** What earlier upgrades have taught: a node takes 45 s to leave. Without that, the usual times of a cloud count, and short windows are refused. */
const learned = { 'elbv2-instance Local': Array(5).fill(45_000), 'elbv2-instance Cluster': Array(5).fill(45_000) };
/** One node at a time, whose pods are evicted: so there is a night to tell of. */
const slowly = { podSurge: { mode: 'off' }, guard: { maxInFlight: 1 } };

let upgrades: LabUpgrades;
let operator: LabOperator;
beforeAll(async () => {
  upgrades = await openLabUpgrades(disturbancesScenario);
  operator = operatorOf(upgrades.session);
  const timings = JSON.stringify({ durationsMs: learned, runs: [] });
  await operator.kubectl('create', 'configmap', 'nodeferry-timings', `--from-literal=timings.json=${timings}`);
});
afterAll(async () => {
  await upgrades?.close();
});

afterEach(async () => {
  await operator.nodeferry('schedule', 'delete', labPool, '--yes');
});

/** Start of a minute that is near, but far enough for a schedule to be created before it, epoch ms. */
function nextOpening(): number {
  return Math.ceil((Date.now() + 20_000) / 60_000) * 60_000;
}

/** A daily window, UTC. */
function windowFrom(opensAt: number, minutes: number) {
  const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  return { days: weekdays, start: clock(opensAt), end: clock(opensAt + minutes * 60_000) };
}

/** Has Temporal start an upgrade with this policy, and answers with it once its run is under way. */
async function scheduleUpgrade(spec: Readonly<Record<string, unknown>>): Promise<Policy> {
  const probes = upgrades.session.lab.services.map(({ name, port, vips }) => ({
    name,
    urls: vips.map(({ address }) => `http://${address}:${port}/`),
    ratePerSecond: 2,
  }));
  const file = operator.writePolicy({ ...slowly, traffic: { watchAfter: '5s', probes }, ...spec });
  await operator.expectCode(0, 'schedule', 'apply', '-f', file);
  await until(
    async () => {
      const run = await fetchRun(upgrades.session.connection, target).catch(() => undefined);
      return run?.running === true ? true : undefined;
    },
    { what: 'the schedule has started no upgrade', timeoutMs: 150_000, everyMs: 500 },
  );
  const parsed = parsePolicy(readFileSync(file, 'utf8'), file);
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '));
  return parsed.policy;
}

/** Calls each of these once, in their order, as soon as its moment has come. */
function script(lines: readonly (readonly [(status: RunStatus) => boolean, () => Promise<unknown>])[]) {
  let next = 0;
  return {
    follow: async (status: RunStatus) => {
      const line = lines[next];
      if (line === undefined || !line[0](status)) return;
      next += 1;
      await line[1]();
    },
    isOver: () => next === lines.length,
  };
}

/** The schedule has paused itself, because nothing is repeated blindly, and says so. */
async function expectScheduleToPause(): Promise<void> {
  // Temporal hears of the launch that has failed a moment later.
  const isPaused = async () => {
    const { code, stdout } = await operator.nodeferry('schedule', 'describe', labPool);
    return code === 3 && stdout.includes('paused') ? true : undefined;
  };
  await until(isPaused, { what: 'the schedule has not paused itself', timeoutMs: 60_000, everyMs: 1_000 });
}

async function savedReport(): Promise<RunReport> {
  return JSON.parse(await operator.expectCode(4, 'report', labPool, '-o', 'json')) as RunReport;
}

function actionsOf({ actions }: RunReport): readonly string[] {
  return actions.map(({ action }) => action);
}

/** A node is leaving. Its deregistration takes a second or two, and the status is read less often; its connections drain for longer. */
const isLeaving = ({ nodes }: RunStatus) =>
  nodes.some(({ step }) => step === 'deregistering' || step === 'draining-connections');

test('a scheduled upgrade is approved before it starts, and rolled back in the morning', async () => {
  await upgrades.beginClean();
  const { model } = upgrades.session.lab.aws;
  const before = poolInCloud(model, 'web');
  const policy = await scheduleUpgrade({
    schedule: { timeZone: 'UTC', windows: [windowFrom(nextOpening(), 120)] },
    rollout: { approvals: { at: ['start'] } },
  });
  const { follow, isOver } = script([
    [
      ({ approval }) => approval !== undefined,
      async () => {
        expect(await operator.expectCode(0, 'explain', labPool)).toMatch(/nodeferry approve lab\/web/);
        await operator.expectCode(0, 'approve', labPool, '--reason', 'plan read');
      },
    ],
    [
      (status) => countReplaced(status) >= 2,
      () => operator.expectCode(0, 'rollback', labPool, '--reason', 'latency of the new version'),
    ],
  ]);
  const report = await followToEnd(upgrades.session, policy, follow);
  expect(isOver()).toBe(true);
  expect(report.outcome).toBe('rolled-back');
  expect(actionsOf(await savedReport())).toEqual(['start', 'approve', 'rollback']);
  await expectUnharmed(upgrades, report);
  expect(report.leftovers).toEqual([]);
  expect(poolInCloud(model, 'web')).toEqual(before);
  expect(poolInCloud(model, report.newPool)).toBeUndefined();
  await expectScheduleToPause();
});

test('a window closes in the middle of an upgrade, a budget blocks it after the next opening, and it is aborted', async () => {
  await upgrades.beginClean();
  const opensAt = nextOpening();
  const closesAt = opensAt + 6 * 60_000;
  const opensAgainAt = closesAt + 60_000;
  const policy = await scheduleUpgrade({
    schedule: { timeZone: 'UTC', windows: [windowFrom(opensAt, 6), windowFrom(opensAgainAt, 120)] },
    rollout: { canary: { nodes: 1, soak: '10s' }, approvals: { at: ['canary'] } },
  });
  let replacedAtClosing = 0;
  const { follow, isOver } = script([
    [
      // Late: the window has room for one more node, but not for two, even if one takes only 25 s.
      ({ approval }) => approval !== undefined && Date.now() > closesAt - 65_000,
      async () => {
        expect(await operator.expectCode(0, 'explain', labPool)).toMatch(/canary/);
        await operator.expectCode(0, 'approve', labPool, '--of', 'canary');
      },
    ],
    [
      isLeaving,
      async () => {
        await operator.expectCode(0, 'pause', labPool, '--reason', 'error rate is up');
        expect(await operator.expectCode(0, 'explain', labPool)).toMatch(/paused by .*: error rate is up/);
        await operator.expectCode(3, 'status', labPool);
        await operator.expectCode(0, 'resume', labPool, '--reason', 'it was something else');
      },
    ],
    [
      ({ window }) => window?.mayStart === false,
      async () => {
        expect(await operator.expectCode(0, 'explain', labPool)).toMatch(/window/);
      },
    ],
    [
      // Whatever is in progress finishes; then both sets of nodes serve.
      (status) => status.nodes.every(({ step }) => step === 'pending' || step === 'replaced'),
      async () => {
        const { status } = await fetchRun(upgrades.session.connection, target);
        replacedAtClosing = countReplaced(status);
      },
    ],
    [
      isLeaving,
      async () => {
        expect(Date.now()).toBeGreaterThanOrEqual(opensAgainAt);
        await setBudgets({ web: 0, api: 0 });
      },
    ],
    [
      // The guard takes back the exclusion of a node that the budgets no longer spare, or its pods are refused an eviction.
      () => true,
      async () => {
        const namesBudget = async () => {
          const said = await operator.expectCode(0, 'explain', labPool);
          if (/(?:budget default\/|pdb )(?:web|api)/i.test(said)) return true;
          throw new Error(said);
        };
        await until(namesBudget, { what: 'nodeferry explain names no budget', timeoutMs: 120_000, everyMs: 1_000 });
        await setBudgets({ web: 2, api: 1 });
      },
    ],
    [
      (status) => countReplaced(status) > replacedAtClosing && isLeaving(status),
      () => operator.expectCode(0, 'abort', labPool, '--reason', 'it is morning'),
    ],
  ]);
  const report = await followToEnd(upgrades.session, policy, follow);
  expect(isOver()).toBe(true);
  expect(replacedAtClosing).toBeGreaterThanOrEqual(2);
  expect(report.outcome).toBe('aborted');
  expect(actionsOf(await savedReport())).toEqual(['start', 'approve', 'pause', 'resume', 'abort']);
  await expectUnharmed(upgrades, report);
  await expectScheduleToPause();
});

/** Sets `maxUnavailable` of both budgets. */
async function setBudgets(allowed: Readonly<Record<'web' | 'api', number>>): Promise<void> {
  for (const [name, maxUnavailable] of Object.entries(allowed)) {
    await operator.kubectl('patch', 'pdb', name, '--type=merge', '-p', JSON.stringify({ spec: { maxUnavailable } }));
  }
}
