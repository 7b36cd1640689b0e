/** LabUpgrades of the real lab: a live node group is replaced under traffic, again and again, disturbed and undisturbed. */
import { CoreV1Api, KubeConfig, PolicyV1Api } from '@kubernetes/client-node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Policy } from '../../core/policy/policy.ts';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import {
  countHistoryEvents,
  inBatches,
  type LabUpgradeOptions,
  labUpgradePolicy,
  startLabUpgrade,
} from '../../demo/lab-upgrade.ts';
import { addRequests } from '../../demo/report.ts';
import { openSession, type Session } from '../../demo/session.ts';
import { until } from '../../lab/process.ts';
import { demoScenario } from '../../lab/scenarios/demo.ts';
import { sendToRun } from '../support/describe-run.ts';
import { someOf, variation } from '../support/extent.ts';
import { followToEnd } from '../support/follow-to-end.ts';
import { openOrdinaryTroubles } from '../support/ordinary-troubles.ts';
import { watchServiceLevels } from '../support/service-levels.ts';
import { findTraces } from './support/traces.ts';

let session: Session;
let pool = 'web';
let upgrades = 0;

beforeAll(async () => {
  session = await openSession(demoScenario, { onProgress: (text) => process.stderr.write(`lab: ${text}\n`) });
});

afterAll(async () => {
  await session?.close();
});

/** Each upgrade starts from quiet counters. */
beforeEach(async () => {
  await Promise.all(session.traffic.map((traffic) => traffic.waitUntilClean(3)));
  for (const traffic of session.traffic) traffic.zero();
});

function nextUpgrade(spec: LabUpgradeOptions['spec'] = {}): Policy {
  upgrades += 1;
  return labUpgradePolicy(session.lab, { pool, newPool: `web-${upgrades}`, version: '1.36', spec });
}

function requests() {
  return addRequests(session.traffic.map((traffic) => traffic.truth()));
}

/** Waits for the last requests to be counted, then expects that every single one was answered in time. */
async function expectNothingLost(): Promise<void> {
  await Promise.all(session.traffic.map((traffic) => traffic.waitUntilClean(3)));
  const { requests: counted } = requests();
  const incidents = session.traffic.flatMap((traffic) => traffic.truth().incidents.slice(0, 5));
  expect({ ...counted, incidents }).toEqual({ sent: expect.any(Number), lost: 0, cut: 0, slow: 0, incidents: [] });
}

function kubernetes() {
  const config = new KubeConfig();
  config.loadFromFile(session.lab.kubeconfigPath);
  return { core: config.makeApiClient(CoreV1Api), policy: config.makeApiClient(PolicyV1Api) };
}

describe('in batches', () => {
  test.each(someOf([1, 2, 3], 1))('upgrade %i loses nothing of at least 30,000 new connections', async () => {
    const policy = nextUpgrade(inBatches);
    await startLabUpgrade(session, policy);

    const report = await followToEnd(session, policy);
    pool = report.newPool;
    await until(async () => (requests().newConnections >= 30_000 ? true : undefined), {
      what: 'there are fewer than 30,000 new connections',
      timeoutMs: 120_000,
    });

    await expectNothingLost();
    expect(report.outcome).toBe('completed');
    expect(report.leftovers).toEqual([]);
    expect(report.nodes.map((node) => node.step)).toEqual(report.nodes.map(() => 'replaced'));
    expect(report.traffic.lost).toBe(0);
    expect(await countHistoryEvents(session, report)).toBeLessThanOrEqual(80);
    expect(await findTraces(session.lab)).toEqual([]);
    expect(terminations(report)).toEqual(report.nodes.map(() => 1));
  });
});

describe('with pod surge', () => {
  test.each(someOf([1, 2], 1))(
    'upgrade %i lets all nodes go together; no Service and no budget ever has less than before',
    async () => {
      const policy = nextUpgrade();
      const levels = await watchServiceLevels(session.lab.kubeconfigPath);
      await startLabUpgrade(session, policy);

      const report = await followToEnd(session, policy);
      pool = report.newPool;
      const broken = await levels.stop();

      await expectNothingLost();
      expect(report).toMatchObject({ outcome: 'completed', leftovers: [], unprotected: [] });
      expect(broken).toEqual([]);
      const excluded = report.nodes.map(({ evidence }) => evidence.find(({ kind }) => kind === 'excluded')?.at ?? 0);
      const evicted = report.nodes.map(({ evidence }) => evidence.find(({ kind }) => kind === 'evicted')?.at ?? 0);
      expect(Math.max(...excluded)).toBeLessThan(Math.min(...evicted));
      expect(
        report.nodes.flatMap(({ evidence }) => evidence.filter(({ kind }) => kind === 'pods-surged')),
      ).toHaveLength(report.nodes.length);
      expect(await findTraces(session.lab)).toEqual([]);
      expect(terminations(report)).toEqual(report.nodes.map(() => 1));
    },
  );
});

describe('disturbed', () => {
  test('a worker killed in the middle of a drain takes up where it stood: same end, nothing lost, nothing terminated twice', async () => {
    const policy = nextUpgrade();
    await startLabUpgrade(session, policy);
    let killed = false;

    const report = await followToEnd(session, policy, async (status) => {
      if (killed || !status.nodes.some((node) => node.step === 'evicting')) return;
      killed = true;
      await session.killWorker();
      session.startWorker();
    });
    pool = report.newPool;

    expect(killed).toBe(true);
    await expectNothingLost();
    expect(report.outcome).toBe('completed');
    expect(await findTraces(session.lab)).toEqual([]);
    expect(terminations(report)).toEqual(report.nodes.map(() => 1));
  });

  test('an abort in the middle rolls everything back, loses nothing and leaves external changes alone', async () => {
    const policy = nextUpgrade();
    const { core } = kubernetes();
    const before = (await core.listNode()).items.filter(
      (node) => node.metadata?.labels?.['eks.amazonaws.com/nodegroup'] === pool,
    );
    const foreign = before[0]?.metadata?.name ?? '';
    const patch = [
      { op: 'add', path: '/spec/unschedulable', value: true },
      { op: 'add', path: '/metadata/labels/team', value: 'payments' },
    ];
    await core.patchNode({ name: foreign, body: patch });
    await openOrdinaryTroubles(session.lab).leaveFailedPod('web');
    await startLabUpgrade(session, policy);
    let aborted = false;

    const report = await followToEnd(session, policy, async (status) => {
      if (aborted || !status.nodes.some((node) => node.step === 'draining-connections')) return;
      aborted = true;
      await sendToRun(session, policy, 'abort');
    });

    await expectNothingLost();
    expect(report.outcome).toBe('aborted');
    expect(report.leftovers).toEqual([]);
    expect(await findTraces(session.lab, [foreign])).toEqual([]);
    const after = (await core.listNode()).items.filter((node) => node.metadata?.labels?.['pool'] === 'web');
    expect(after.length).toBe(before.length);
    const node = await core.readNode({ name: foreign });
    expect(node.spec?.unschedulable).toBe(true);
    expect(node.metadata?.labels?.['team']).toBe('payments');
    await core.patchNode({
      name: foreign,
      body: [
        { op: 'remove', path: '/spec/unschedulable' },
        { op: 'remove', path: '/metadata/labels/team' },
      ],
    });
  });
});

// The simulator has the same in `npm test` (test/workflows/trouble.test.ts).
variation(
  'a budget that never allows is named with needs, has, since and deadline; the run stalls and forces nothing',
  async () => {
    const policy = nextUpgrade({ ...inBatches, waits: { ...quickDeadlines } });
    const { policy: budgets } = kubernetes();
    const setBudget = (maxUnavailable: number) =>
      budgets.patchNamespacedPodDisruptionBudget({
        namespace: 'default',
        name: 'api',
        body: [{ op: 'replace', path: '/spec/maxUnavailable', value: maxUnavailable }],
      });
    await startLabUpgrade(session, policy);
    const seen: string[] = [];
    let blocked: unknown;
    let stalled: RunStatus | undefined;

    const report = await followToEnd(session, policy, async (status) => {
      if (!seen.includes('nodes-ready') && status.phase === 'nodes-ready') {
        seen.push('nodes-ready');
        await setBudget(0);
      }
      blocked ??= status.nodes
        .flatMap((node) => node.waiting?.blocked ?? [])
        .find((pod) => pod.budget === 'default/api');
      if (!stalled && status.stalled) {
        stalled = status;
        await sendToRun(session, policy, 'abort');
      }
    });
    await setBudget(1);

    expect(blocked).toMatchObject({
      pod: expect.stringContaining('default/api-'),
      budget: 'default/api',
      needs: 4,
      has: 4,
      since: expect.any(Number),
    });
    expect(stalled?.stalled?.message).toMatch(/api/);
    const stuck = stalled?.nodes.find((node) => node.step === 'stalled');
    expect(stuck?.problem?.message).toMatch(/default\/api/);
    expect(report.outcome).toBe('aborted');
    expect(report.leftovers).toEqual([]);
    await expectNothingLost();
    expect(await findTraces(session.lab)).toEqual([]);
  },
);

const quickDeadlines = { deadlines: { eviction: '25s', nodesReady: '3m', termination: '2m' } };

/** How often each instance of the report was successfully asked to terminate, whatever the caller. */
function terminations(report: RunReport): number[] {
  const asked = session.lab.aws.requests.filter(
    (request) => request.action === 'TerminateInstanceInAutoScalingGroup' && request.outcome === 'ok',
  );
  return report.nodes.map(
    ({ node }) => asked.filter((request) => request.input['InstanceId'] === node.instanceId).length,
  );
}
