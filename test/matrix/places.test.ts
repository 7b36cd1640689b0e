/** Crossings in clusters of other shapes: three zones, and two pools behind the same Services at once. */
import { afterEach, expect, test } from 'vitest';
import { createKubernetesCluster } from '../../adapters/kubernetes/cluster.ts';
import { startCrossing } from '../../lab/demo/crossing.ts';
import { threeZonesScenario, twoPoolsScenario } from '../../lab/scenarios/disturbances.ts';
import { expectUnharmed } from '../support/disturbed-crossing.ts';
import { followToEnd } from '../support/follow-to-end.ts';
import { type Crossings, openCrossings } from '../support/lab-crossings.ts';

let crossings: Crossings | undefined;

afterEach(async () => {
  await crossings?.close();
  crossings = undefined;
});

test('a pool in three zones loses nothing, and ends spread over all of them', async () => {
  crossings = await openCrossings(threeZonesScenario);
  await crossings.beginClean();
  const report = await crossings.cross(crossings.nextPolicy());
  expect(report.outcome).toBe('completed');
  await expectUnharmed(crossings, report);
  const zones = report.newNodes.map(({ zone }) => zone);
  expect(new Set(zones).size).toBe(3);
});

test('two pools behind the same Services are replaced at once, and lose nothing', async () => {
  crossings = await openCrossings(twoPoolsScenario);
  const { session } = crossings;
  await crossings.beginClean();
  const web = crossings.nextPolicy();
  const next = crossings.nextPolicy();
  const blue = { ...next, pool: { ...next.pool, name: 'blue' } };
  await Promise.all([startCrossing(session, web), startCrossing(session, blue)]);
  const reports = await Promise.all([followToEnd(session, web), followToEnd(session, blue)]);
  expect(reports.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  for (const report of reports) await expectUnharmed(crossings, report);
  const cluster = createKubernetesCluster({ kubeconfig: session.lab.kubeconfigPath });
  try {
    const { nodes } = await cluster.observe();
    expect(nodes.filter(({ pool }) => pool === 'web' || pool === 'blue')).toEqual([]);
  } finally {
    cluster.close();
  }
});
