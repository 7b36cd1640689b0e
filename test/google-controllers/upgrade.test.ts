/** A node pool of GKE is replaced under traffic: real nodes, the real ingress-gce, and packets that are passed through. */
import '../contract/gke/tls-roots.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gkeHands } from '../../bench/gke-hands.ts';
import { upgradeInOrder } from '../../bench/other-orders.ts';
import type { RunStatus } from '../../core/status/status.ts';
import {
  followLabUpgrade,
  inBatches,
  type LabUpgradeOptions,
  labUpgradePolicy,
  startLabUpgrade,
} from '../../demo/lab-upgrade.ts';
import { addRequests } from '../../demo/report.ts';
import { openGkeSession, type Session } from '../../demo/session.ts';
import type { GkeLab } from '../../lab/gke-lab.ts';
import { gkeScenario } from '../../lab/scenarios/gke.ts';
import { ownershipOf } from '../support/lab-upgrades.ts';

/** Traffic continues for this long after an upgrade, so that late losses are seen too, ms. */
const afterglowMs = 5_000;

let session: Session<GkeLab>;
let pool = 'web';
beforeAll(async () => {
  session = await openGkeSession(gkeScenario, { onProgress: (text) => process.stderr.write(`  ${text}\n`) });
});
afterAll(async () => await session?.close());

async function beginClean(): Promise<void> {
  await Promise.all(session.traffic.map((traffic) => traffic.waitUntilClean(5)));
  for (const traffic of session.traffic) traffic.zero();
}

async function losses() {
  await new Promise((resolve) => setTimeout(resolve, afterglowMs));
  const truths = session.traffic.map((traffic) => traffic.truth());
  return { ...addRequests(truths), incidents: truths.flatMap(({ incidents }) => incidents) };
}

async function upgrade(
  newPool: string,
  spec: NonNullable<LabUpgradeOptions['spec']> = {},
  onStatus: (status: RunStatus) => Promise<void> = async () => undefined,
) {
  const policy = labUpgradePolicy(session.lab, { pool, newPool, version: '1.36', spec });
  await beginClean();
  await startLabUpgrade(session, policy);
  const report = await followLabUpgrade(session, policy, onStatus);
  if (report.outcome === 'completed') pool = newPool;
  return { report, ...(await losses()) };
}

const poolNames = () => [...(session.lab.gcp.model.clusters.get('lab')?.pools.keys() ?? [])].toSorted();

/** Requests to Google that deleted the instance of a node. One that is repeated with its ID changes nothing (Compute Engine API, requestId). */
const deletionsOf = (node: string) =>
  new Set(
    session.lab.gcp.requests
      .filter(({ method, outcome }) => method === 'instanceGroupManagers.deleteInstances' && outcome === 'ok')
      .filter(({ input }) => (input['instances'] as readonly string[]).some((link) => link.endsWith(`/${node}`)))
      .map(({ input }) => input['requestId']),
  ).size;

test.each([
  ['with pod surge', 'surged', {}],
  ['in batches', 'batched', inBatches],
])('a pool behind passthrough load balancers is replaced %s, and nothing is lost', async (_, newPool, spec) => {
  const { report, requests, incidents } = await upgrade(newPool, spec);
  expect(report.outcome).toBe('completed');
  expect(requests.sent).toBeGreaterThan(5_000);
  expect(requests, JSON.stringify(incidents.slice(0, 5))).toMatchObject({ lost: 0, cut: 0, slow: 0 });
  expect(poolNames()).toEqual([newPool, 'system'].toSorted());
});

test('a worker that is killed while pods are evicted, and again while instances terminate, comes to the same end', async () => {
  const moments = ['evicting', 'terminating'] as const;
  const killedIn: string[] = [];
  const { report, requests, incidents } = await upgrade('killed', inBatches, async ({ nodes }) => {
    const step = moments.find((one) => !killedIn.includes(one) && nodes.some((node) => node.step === one));
    if (step === undefined) return;
    killedIn.push(step);
    await session.killWorker();
    session.startWorker();
  });
  expect(killedIn).toEqual(moments);
  expect(report.outcome).toBe('completed');
  expect(requests, JSON.stringify(incidents.slice(0, 5))).toMatchObject({ lost: 0, cut: 0, slow: 0 });
  expect(report.leftovers).toEqual([]);
  expect(await ownershipOf(session.lab, report.run)).toEqual([]);
  expect(poolNames()).toEqual(['killed', 'system']);
  expect(report.nodes).toHaveLength(4);
  for (const { node } of report.nodes) expect(deletionsOf(node.name), node.name).toBe(1);
});

test('the usual order loses connections to web', async () => {
  await beginClean();
  const pools = { pool, newPool: 'naive' };
  await upgradeInOrder({
    order: 'naive',
    kubeconfigPath: session.lab.kubeconfigPath,
    poolLabel: session.lab.cloud.poolLabel,
    hands: gkeHands(session.lab, { ...pools, version: '1.36' }),
    ...pools,
    onProgress: () => undefined,
  });
  const { perStream, requests } = await losses();
  process.stderr.write(`* the usual order: ${JSON.stringify(requests)}\n`);
  const bad = (service: string) =>
    Object.entries(perStream)
      .filter(([name]) => name.startsWith(`${service}/`))
      .reduce((sum, [, { lost, cut, slow }]) => sum + lost + cut + slow, 0);
  expect(bad('web')).toBeGreaterThan(10);
});
