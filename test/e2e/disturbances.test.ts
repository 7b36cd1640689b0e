/**
 * What happens beside an upgrade of the real lab costs no more than it costs alone. Representative ones; `npm run matrix` runs each of
 * them at each step.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeStep, RunStatus } from '../../core/status/status.ts';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import { type Crossings, describeLosses, marksOf, openCrossings } from '../support/lab-crossings.ts';
import {
  type Cost,
  type Disturbances,
  findUnexplained,
  measureAlone,
  openDisturbances,
  type Struck,
} from '../support/lab-disturbances.ts';

let crossings: Crossings;
let disturbances: Disturbances;

beforeAll(async () => {
  crossings = await openCrossings(disturbancesScenario);
  disturbances = openDisturbances(crossings.session.lab);
});

afterAll(async () => {
  await crossings?.close();
});

const nothing: Cost = { bad: 0, lastedMs: 0 };

/** Replaces the pool, and strikes once when a node has come to each of these steps. */
async function crossDisturbed(
  steps: readonly NodeStep[],
  strike: (node: string) => Promise<void>,
  alone: Cost,
): Promise<{ readonly told: string }> {
  const { lab } = crossings.session;
  await crossings.beginClean();
  const struck: Struck[] = [];
  const striking: Promise<void>[] = [];
  const begun = new Set<NodeStep>();
  const report = await crossings.cross(crossings.nextPolicy({ lossBudget: 1_000_000 }), (status: RunStatus) => {
    for (const { node, step } of status.nodes) {
      if (!steps.includes(step) || begun.has(step)) continue;
      begun.add(step);
      struck.push({ at: Date.now(), what: `${node.name} ${step}` });
      striking.push(strike(node.name));
    }
  });
  await Promise.all(striking);
  const losses = await crossings.losses();
  process.stderr.write(`* struck at ${struck.map(({ what }) => what).join(', ')}: ${describeLosses(losses)}\n`);
  expect([...begun].toSorted()).toEqual([...steps].toSorted());
  expect(report.outcome).toBe('completed');
  expect(report.leftBehind).toEqual([]);
  expect(await marksOf(lab, report.run)).toEqual([]);
  expect(findUnexplained(losses, struck, alone), describeLosses(losses)).toEqual([]);
  const acts = [...report.foreignActs, ...report.nodes.flatMap((node) => node.foreignActs ?? [])];
  return { told: acts.map(({ what }) => what).join('\n') };
}

test('a stranger who removes the label, of a node at each step, costs nothing, and is told', async () => {
  const steps = ['leaving-load-balancers', 'draining-connections', 'evicting', 'retiring-endpoints'] as const;
  const { told } = await crossDisturbed(steps, disturbances.removeLabel, nothing);
  expect(told).toMatch(/somebody removed the exclude label/);
});

test('readiness that flaps while nodes drain costs what it costs alone', async () => {
  const flap = async () => await disturbances.flap(6_000);
  const alone = await measureAlone(crossings, flap);
  expect(alone.bad).toBeGreaterThan(0);
  await crossDisturbed(['draining-connections'], flap, alone);
});

test('an API server that is dead for 15 s while nodes drain costs what it costs alone', async () => {
  const kill = async () => await disturbances.killApiServer(15_000);
  const alone = await measureAlone(crossings, kill);
  await crossDisturbed(['draining-connections'], kill, alone);
});

test('a rollout while nodes drain costs what it costs alone: nothing', async () => {
  await disturbances.letServeAfterStop(12);
  const alone = await measureAlone(crossings, disturbances.rollOut);
  expect(alone.bad).toBe(0);
  await crossDisturbed(['draining-connections'], disturbances.rollOut, alone);
});
