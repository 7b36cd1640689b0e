/** The demo: a live node pool is replaced under traffic. */
import { writeFile } from 'node:fs/promises';
import { type NodeAct, type PoolHands, upgradeInOrder } from '../bench/other-orders.ts';
import { explainNeeds, operatorNeeds } from '../core/status/operator-needs.ts';
import type { RunReport, RunStatus } from '../core/status/status.ts';
import type { GkeLab } from '../lab/gke-lab.ts';
import { whenAborted } from '../lab/interrupted.ts';
import type { Lab } from '../lab/lab.ts';
import { demoScenario } from '../lab/scenarios/demo.ts';
import { gkeScenario } from '../lab/scenarios/gke.ts';
import { ensureTools } from '../scripts/setup/ensure.ts';
import { boundUpgrade } from './bound.ts';
import { renderHtmlReport } from './html-report.ts';
import { countHistoryEvents, followLabUpgrade, inBatches, labUpgradePolicy, startLabUpgrade } from './lab-upgrade.ts';
import type { DemoOptions } from './options.ts';
import { recordLosses } from './record-losses.ts';
import { addRequests, type DemoReport, makeReport, renderReport } from './report.ts';
import { createScreen, type Screen } from './screen.ts';
import { type AnySession, openGkeSession, openSession, type Session } from './session.ts';

/** Traffic continues for this long after the last step, so that late losses are seen too, ms. */
const afterglowMs = 5000;

const pool = { pool: 'web', newPool: 'web-1-36', version: '1.36' };

/** A control loses requests: it must not pause for that. */
const controlled = { traffic: { lossBudget: 1_000_000 } } as const;

/** A run waits for an operator. A demo has none. */
class OperatorNeeded extends Error {}

/** Runs the demo and returns its exit code: 0 when nothing was lost. */
export async function demo(options: DemoOptions, signal: AbortSignal): Promise<number> {
  await ensureTools({ need: ['packages', 'temporal', 'agents', 'kubernetes'], signal });
  const screen = createScreen();
  const opened = await openCloud(options.cloud, screen, signal);
  const { session } = opened;
  try {
    for (const traffic of session.traffic) traffic.zero();
    const startedAt = Date.now();
    // An upgrade with nodeferry must end its calls to Temporal before the session is closed; the usual order calls only kubectl and the cloud.
    const { report, run } = options.naive
      ? await Promise.race([upgradeNaively(opened, screen), whenAborted(signal)])
      : await upgradeWithNodeferry(session, screen, options, signal);
    screen.done();
    process.stdout.write(`\n${renderReport(report, startedAt).join('\n')}\n`);
    if (options.report) await writeFile(options.report, `${JSON.stringify(report, null, 2)}\n`);
    if (options.html && run) await writeFile(options.html, renderHtmlReport(run, report));
    if (options.keep) await keepUp(session, screen, signal);
    const { lost, cut, slow } = report.requests;
    return report.outcome === 'completed' && (options.naive || lost + cut + slow === 0) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof OperatorNeeded)) throw error;
    screen.done();
    process.stderr.write(`${error.message}\n`);
    return 1;
  } finally {
    await session.close();
  }
}

/** A session, and what a script would do to its node pools. */
interface OpenedCloud {
  readonly session: AnySession;
  readonly hands: () => Promise<PoolHands>;
}

async function openCloud(cloud: DemoOptions['cloud'], screen: Screen, signal: AbortSignal): Promise<OpenedCloud> {
  const options = { onProgress: (text: string) => screen.progress(text), signal };
  if (cloud === 'eks') {
    const session: Session<Lab> = await openSession(demoScenario, options);
    return { session, hands: async () => (await import('../bench/eks-hands.ts')).eksHands(session.lab, pool) };
  }
  const session: Session<GkeLab> = await openGkeSession(gkeScenario, options);
  return { session, hands: async () => (await import('../bench/gke-hands.ts')).gkeHands(session.lab, pool) };
}

/** An upgrade that has ended. The usual order has no run. */
interface Upgrade {
  readonly report: DemoReport;
  readonly run?: RunReport;
}

async function upgradeWithNodeferry(
  session: AnySession,
  screen: Screen,
  options: DemoOptions,
  signal: AbortSignal,
): Promise<Upgrade> {
  const spec = { ...(options.surgePods ? {} : inBatches), ...(options.without.length === 0 ? {} : controlled) };
  const policy = labUpgradePolicy(session.lab, { ...pool, without: options.without, spec });
  const bound = await boundUpgrade(session.lab, policy);
  screen.progress(`upgrade begins; Temporal web UI: ${session.temporal.uiUrl}`);
  const losses = recordLosses(session.traffic);
  await startLabUpgrade(session, policy);
  const show = (status: RunStatus) => {
    screen.show(
      status,
      session.traffic.map((traffic) => traffic.truth()),
    );
    if (!options.keep) expectNoNeeds(status);
  };
  const run = await followLabUpgrade(session, policy, show, signal);
  const events = await countHistoryEvents(session, run);
  const truths = await finishTraffic(session);
  const when = { startedAt: run.startedAt, lossesPerSecond: losses.stop() };
  return { run, report: makeReport(run, truths, await bound.atEnd(run), events, when) };
}

/** @throws OperatorNeeded when the run goes on only if somebody acts. With `--keep` somebody can. */
function expectNoNeeds(status: RunStatus): void {
  const needs = operatorNeeds(status);
  if (needs === undefined || status.paused?.endsByItself === true) return;
  throw new OperatorNeeded(`the demo ends here, because the run needs an operator: ${explainNeeds(needs)}`);
}

async function upgradeNaively({ session, hands }: OpenedCloud, screen: Screen): Promise<Upgrade> {
  const startedAt = Date.now();
  const losses = recordLosses(session.traffic);
  const acts: NodeAct[] = [];
  screen.progress('upgrade in the usual order begins: cordon, kubectl drain, terminate');
  const durationMs = await upgradeInOrder({
    order: 'naive',
    kubeconfigPath: session.lab.kubeconfigPath,
    poolLabel: session.lab.cloud.poolLabel,
    hands: await hands(),
    pool: pool.pool,
    newPool: pool.newPool,
    onProgress: (text) => screen.progress(text),
    onAct: (act) => acts.push(act),
  });
  const counts = addRequests(await finishTraffic(session));
  const report: DemoReport = {
    order: 'naive',
    outcome: 'completed',
    ...counts,
    durationSeconds: durationMs / 1000,
    lowerBoundSeconds: undefined,
    lowerBoundTerms: [],
    nodes: [],
    acts,
    startedAt,
    lossesPerSecond: losses.stop(),
    historyEventsPerNode: undefined,
    versions: { from: '1.35', to: pool.version },
    disabledRules: [],
  };
  return { report };
}

async function finishTraffic(session: AnySession) {
  await new Promise((resolve) => setTimeout(resolve, afterglowMs));
  return Promise.all(session.traffic.map((traffic) => traffic.stop()));
}

async function keepUp(session: AnySession, screen: Screen, signal: AbortSignal): Promise<void> {
  screen.progress(
    `the lab stays up: KUBECONFIG=${session.lab.kubeconfigPath}, its cloud is at ${session.lab.cloud.url}, ${session.temporal.uiUrl}`,
  );
  screen.progress('press Ctrl-C to stop it');
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
