/**
 * Records the histories that the replay tests read: `node test/replay/record.ts`. Run it and commit its output when the workflows change
 * in a way that runs in progress need not survive; otherwise keep the old histories and use `patched`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApplicationFailure } from '@temporalio/activity';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { drainPolicy } from '../../core/policy/drain-policy.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { abortUpdate, pauseUpdate, resumeUpdate, rollbackUpdate } from '../../workflows/messages.ts';
import { createScenario, podSurgePolicy, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { createHarness, type Harness, type StepHooks, type TemporalPlace } from '../support/temporal-harness.ts';
import { buildTestBundle, startServer, stopServer } from '../support/temporal-server.ts';

const directory = fileURLToPath(new URL('histories', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const operator = { by: 'ann', reason: 'recorded' };

async function record(
  name: string,
  place: TemporalPlace,
  meddle: (run: Meddling) => StepHooks = () => ({}),
  policyFor: (world: World) => Policy = () => scenarioPolicy(),
): Promise<void> {
  const world = createScenario({ nodes: 3 });
  const meddling: Meddling = { send: async () => undefined, resume: async () => undefined };
  const harness = await createHarness(world, meddle(meddling), place);
  try {
    const handle = await harness.start(policyFor(world));
    meddling.send = async (update) => {
      const definition = { pause: pauseUpdate, resume: resumeUpdate, abort: abortUpdate, rollback: rollbackUpdate }[
        update
      ];
      await handle.executeUpdate(definition, { args: [operator] });
    };
    meddling.resume = async () => {
      await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
      await meddling.send('resume');
    };
    const report = await handle.result();
    await save(harness, handle.workflowId, `${name}-pool`);
    const child = report.nodes[0]?.workflowId;
    if (child !== undefined) await save(harness, child, `${name}-node`);
  } finally {
    await harness.stop();
  }
}

interface Meddling {
  send: (update: 'pause' | 'resume' | 'abort' | 'rollback') => Promise<void>;
  resume: () => Promise<void>;
}

async function save(harness: Harness, workflowId: string, name: string): Promise<void> {
  const history = await harness.workflow(workflowId).fetchHistory();
  const text = JSON.stringify(JSON.parse(historyToJSON(history)))
    .replaceAll(`${process.pid}@${hostname()}`, 'recorder')
    .replaceAll(root, '/nodeferry/');
  writeFileSync(join(directory, `${name}.json`), `${text}\n`);
}

const scratch = mkdtempSync(join(tmpdir(), 'nodeferry-record-'));
const server = await startServer();
try {
  mkdirSync(directory, { recursive: true });
  const place = { address: server.address, codePath: await buildTestBundle(scratch) };
  await record('completed', place);
  await record('drained', place, undefined, ({ nodes }) => {
    const choice = { pool: 'web', nodes: nodes.slice(0, 1), terminate: false, deleteEmptyDirData: false, force: false };
    return drainPolicy(podSurgePolicy(), choice);
  });
  await record('aborted', place, (run) => {
    let done = false;
    return {
      before: async (step) => {
        if (step !== 'evictPods' || done) return;
        done = true;
        await run.send('abort');
      },
    };
  });
  await record('rolled-back', place, (run) => {
    let begun = 0;
    return {
      before: async (step) => {
        begun += step === 'evictPods' ? 1 : 0;
        if (step === 'evictPods' && begun === 3) await run.send('rollback');
      },
    };
  });
  await record('stalled', place, (run) => {
    let isFixed = false;
    return {
      before: (step) => {
        if (step !== 'evictPods' || isFixed) return;
        isFixed = true;
        void run.resume();
        throw ApplicationFailure.nonRetryable('something that an operator has to fix');
      },
    };
  });
  await record('paused', place, (run) => {
    let done = false;
    return {
      before: async (step) => {
        if (step !== 'cordonNodes' || done) return;
        done = true;
        await run.send('pause');
        await run.send('resume');
      },
    };
  });
} finally {
  await stopServer(server.process);
  rmSync(scratch, { recursive: true, force: true });
}
