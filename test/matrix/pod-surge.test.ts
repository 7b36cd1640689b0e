/** LabUpgrades in which all pods are replaced before they leave, disturbed: nobody ever has less than before, and nothing is lost. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import { openCluster } from '../../wiring/cluster.ts';
import { expectUnharmed, metSteps, upgradeAndAbort } from '../support/disturbed-upgrade.ts';
import { type LabUpgrades, openLabUpgrades } from '../support/lab-upgrades.ts';
import { describePrunedUpgrades } from '../support/pruned-upgrades.ts';
import { watchServiceLevels } from '../support/service-levels.ts';

let upgrades: LabUpgrades;
beforeAll(async () => {
  upgrades = await openLabUpgrades(disturbancesScenario);
});
afterAll(async () => {
  await upgrades?.close();
});

/** Steps in which no pod has been told to leave yet. */
const beforeEviction: readonly string[] = ['deregistering', 'draining-connections'];

test.each(metSteps)('aborted while a node is %s, what was there goes on as if nothing had been', async (step) => {
  const before = await podsOfDeployments();
  const levels = await watchServiceLevels(upgrades.session.lab.kubeconfigPath);
  const report = await upgradeAndAbort(upgrades, step, { podSurge: true });
  expect(report.outcome).toBe('aborted');
  await expectUnharmed(upgrades, report);
  expect(await levels.stop()).toEqual([]);
  const after = await podsOfDeployments();
  if (beforeEviction.includes(step)) expect(after).toEqual(before);
  else expect(after).toHaveLength(before.length);
});

test('a worker that is killed every ten seconds, once the run has come further, comes to the same end', async () => {
  const { session } = upgrades;
  await upgrades.beginClean();
  const levels = await watchServiceLevels(session.lab.kubeconfigPath);
  let killedAt = Date.now();
  let killedIn = '';
  let kills = 0;
  const report = await upgrades.upgrade(upgrades.nextPolicy({ podSurge: true }), async ({ phase, nodes }) => {
    // A computer on which no worker gets anywhere within ten seconds would tell nothing about nodeferry.
    const reached = JSON.stringify([phase, nodes.map(({ step, evidence }) => [step, evidence.length])]);
    if (reached === killedIn || Date.now() - killedAt < 10_000) return;
    killedAt = Date.now();
    killedIn = reached;
    kills += 1;
    await session.killWorker();
    session.startWorker();
  });
  process.stderr.write(`* killed ${kills} times\n`);
  expect(report.outcome).toBe('completed');
  expect(kills).toBeGreaterThan(5);
  await expectUnharmed(upgrades, report);
  expect(await levels.stop()).toEqual([]);
});

test.each([
  ['50%', true],
  [1, true],
  ['50%', false],
] as const)(
  'with %s of the new nodes at a time and pods surged or not (%s), it comes to the same end',
  async (surge, podSurge) => {
    await upgrades.beginClean();
    const levels = await watchServiceLevels(upgrades.session.lab.kubeconfigPath);
    const report = await upgrades.upgrade(upgrades.nextPolicy({ nodeSurge: surge, podSurge }));
    expect(report.outcome).toBe('completed');
    expect(report.newNodes).toHaveLength(4);
    await expectUnharmed(upgrades, report);
    const broken = await levels.stop();
    if (podSurge) expect(broken).toEqual([]);
  },
);

describePrunedUpgrades(() => upgrades);

/** The last one: the pool is two halves afterwards. */
test('aborted in the second wave of new nodes, what was there goes on, on as many instances', async () => {
  const before = await podsOfDeployments();
  const levels = await watchServiceLevels(upgrades.session.lab.kubeconfigPath);
  const report = await upgradeAndAbort(upgrades, 'draining-connections', {
    podSurge: true,
    nodeSurge: '50%',
    replaced: 2,
  });
  expect(report.outcome).toBe('aborted');
  await expectUnharmed(upgrades, report);
  expect(await levels.stop()).toEqual([]);
  expect(await podsOfDeployments()).toHaveLength(before.length);
});

/** UIDs of all pods that Deployments keep. */
async function podsOfDeployments(): Promise<readonly string[]> {
  const cluster = openCluster({ kubeconfig: upgrades.session.lab.kubeconfigPath });
  try {
    const { pods } = await cluster.observe();
    return pods.flatMap(({ ownerKind, uid }) => (ownerKind === 'ReplicaSet' ? [uid] : [])).toSorted();
  } finally {
    cluster.close();
  }
}
