import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTemporal } from '../../demo/temporal.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { createHarness } from '../support/temporal-harness.ts';
import { buildTestBundle } from '../support/temporal-server.ts';

/** How long it takes until the world has settled and the run stands still, by the clock of the simulator, ms. The world begins that long ago. */
const untilHeldMs = 1_045_000;

/** A run of the simulator on a real Temporal server with its web UI. */
export interface SimulatedRun {
  readonly address: string;
  readonly uiUrl: string;
  readonly cluster: string;
  readonly workflowId: string;
  readonly runId: string;
  close(): Promise<void>;
}

/** Starts a run and has it stand still while one of its nodes waits for connections to end, after others have been replaced. */
export async function holdRunHalfWay(): Promise<SimulatedRun> {
  const directory = mkdtempSync(join(tmpdir(), 'nodeferry-pictures-'));
  const temporal = await startTemporal(directory);
  const closing: (() => Promise<unknown>)[] = [async () => rmSync(directory, { recursive: true, force: true })];
  closing.push(() => temporal.stop());
  const close = async () => {
    for (const step of closing.toReversed()) await step();
  };
  try {
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    let drained = 0;
    const hooks = {
      before: async (step: string) => {
        if (step !== 'awaitConnectionsDrained') return;
        drained += 1;
        if (drained < 3) return;
        arrive();
        await goOn;
      },
    };
    const place = { address: temporal.address, codePath: await buildTestBundle(directory) };
    const harness = await createHarness(createScenario({ nodes: 6, startsAt: Date.now() - untilHeldMs }), hooks, place);
    closing.push(() => harness.stop());
    closing.push(async () => resolve());
    const handle = await harness.start(scenarioPolicy());
    await arrived;
    const { workflowId } = handle;
    const cluster = workflowId.split('/')[1] ?? '';
    const { runId } = await handle.describe();
    return { ...temporal, cluster, workflowId, runId, close };
  } catch (error) {
    await close();
    throw error;
  }
}
