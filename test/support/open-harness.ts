import { Client } from '@temporalio/client';
import { inject, onTestFinished, type RunnerTestCase, TestRunner } from 'vitest';
import type { World } from '../simulator/world.ts';
import { connectPatiently } from './patient-connection.ts';
import { createHarness, type Harness, type StepHooks, type TemporalPlace } from './temporal-harness.ts';

/** So much of a test's time, real ms, is kept for ending everything; whoever still waits by then has to say for what. */
const endingMs = 30_000;

/** Opens a harness for the test that runs now, and stops it when the test is over, however that ends. */
export async function openHarness(
  world: World,
  hooks: StepHooks = {},
  place: Partial<TemporalPlace> = {},
): Promise<Harness> {
  const usual = { address: inject('temporalAddress'), codePath: inject('workflowBundle') };
  const opening = createHarness(world, hooks, { ...usual, ...place });
  const { timeout } = TestRunner.getCurrentTest<RunnerTestCase>();
  const patience = setTimeout(
    () => void opening.then(async (harness) => await harness.failPending()),
    timeout - endingMs,
  );
  onTestFinished(async ({ task }) => {
    clearTimeout(patience);
    const harness = await opening;
    const left = task.result?.state === 'fail' ? await harness.whatIsLeft() : undefined;
    if (left !== undefined) console.log(`${task.name}: left unfinished: ${left}`);
    await harness.stop();
  });
  return await opening;
}

/** A client for what virtual time shall know nothing of. */
export async function withOwnClient<T>(body: (client: Client) => Promise<T>): Promise<T> {
  const connection = await connectPatiently(inject('temporalAddress'));
  try {
    return await body(new Client({ connection }));
  } finally {
    await connection.close();
  }
}
