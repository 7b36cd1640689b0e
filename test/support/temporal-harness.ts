import { randomUUID } from 'node:crypto';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, type LogLevel, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { type Activities, createActivities } from '../../activities/activities.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { StepProgress } from '../../core/status/progress.ts';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import {
  type PoolUpgradeInput,
  poolUpgradeId,
  searchAttributes,
  statusQuery,
  workflowTypes,
} from '../../workflows/messages.ts';
import { createSimPorts } from '../simulator/ports.ts';
import type { World } from '../simulator/world.ts';

/** Called around every attempt of every step; may be changed while the test runs. */
export interface StepHooks {
  /** Before it; throw to make the attempt fail. */
  before?: (step: string, args: readonly unknown[]) => void | Promise<void>;
  /** After it has had its effect; throw to lose the answer. */
  after?: (step: string, args: readonly unknown[]) => void | Promise<void>;
  /** Hears every heartbeat. */
  progress?: (step: string, details: StepProgress) => void;
}

/** A worker over a simulated world, on the real Temporal server of the test run. */
export interface Harness {
  readonly client: Client;
  readonly taskQueue: string;
  readonly world: World;
  readonly hooks: StepHooks;
  /** Starts an upgrade; every harness has a cluster name of its own, so that workflow ids don't meet. */
  start(policy: Policy, input?: Partial<PoolUpgradeInput>): Promise<WorkflowHandle<UpgradeFunction>>;
  /** Ends the worker; `restart` brings the next one. */
  pauseWorker(): Promise<void>;
  /** Ends the worker if there is one, and starts a new one. */
  restart(): Promise<void>;
  /** Waits, in real time, until the run's status satisfies. */
  until(
    handle: WorkflowHandle<UpgradeFunction>,
    what: string,
    holds: (status: RunStatus) => boolean,
  ): Promise<RunStatus>;
  /** Waits for the report; fails at once, and says why, when the run waits for an operator instead. */
  finish(handle: WorkflowHandle<UpgradeFunction>): Promise<RunReport>;
  stop(): Promise<void>;
}

/** The shape of the workflow, for typed handles. */
export type UpgradeFunction = (input: PoolUpgradeInput) => Promise<RunReport>;

/** Where the Temporal server and the workflow bundle are. */
export interface TemporalPlace {
  readonly address: string;
  readonly codePath: string;
}

async function placeOfTestRun(): Promise<TemporalPlace> {
  // Only inside a test run: scripts that use the harness bring their own place.
  const { inject } = await import('vitest');
  return { address: inject('temporalAddress'), codePath: inject('workflowBundle') };
}

let quieted = false;

/** Opens a harness; stop it at the end of the test. */
export async function openHarness(world: World, hooks: StepHooks = {}, place?: TemporalPlace): Promise<Harness> {
  if (!quieted) {
    quieted = true;
    const level = (process.env['NODEFERRY_TEST_LOG'] ?? 'ERROR') as LogLevel;
    Runtime.install({ logger: new DefaultLogger(level) });
  }
  const { address, codePath } = place ?? (await placeOfTestRun());
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const client = new Client({ connection });
  const taskQueue = `test-${randomUUID()}`;
  const cluster = `sim-${randomUUID().slice(0, 8)}`;
  const activities = hooked(createActivities(createSimPorts(world)), world, hooks);
  const newWorker = async () => {
    const worker = await Worker.create({
      connection: native,
      taskQueue,
      workflowBundle: { codePath },
      activities,
      maxHeartbeatThrottleInterval: 100,
      defaultHeartbeatThrottleInterval: 100,
      shutdownGraceTime: 0,
    });
    return { worker, running: worker.run() };
  };
  let current: Awaited<ReturnType<typeof newWorker>> | undefined = await newWorker();
  const stopWorker = async () => {
    current?.worker.shutdown();
    await current?.running;
    current = undefined;
  };
  return {
    client,
    taskQueue,
    world,
    hooks,
    start: async (policy, input = {}) => {
      const full: PoolUpgradeInput = {
        run: 'run-1',
        policy: { ...policy, cluster: { ...policy.cluster, name: cluster } },
        by: 'tester',
        reason: 'a test',
        ...input,
      };
      return await client.workflow.start<UpgradeFunction>(workflowTypes.poolUpgrade, {
        workflowId: poolUpgradeId(full.policy.cluster.name, full.policy.pool.name),
        taskQueue,
        args: [full],
        workflowIdConflictPolicy: 'FAIL',
        typedSearchAttributes: [
          { key: searchAttributes.cluster, value: cluster },
          { key: searchAttributes.pool, value: full.policy.pool.name },
        ],
      });
    },
    pauseWorker: stopWorker,
    restart: async () => {
      await stopWorker();
      current = await newWorker();
    },
    until: async (handle, what, holds) => {
      const giveUpAt = Date.now() + 60_000;
      for (;;) {
        const status = await handle.query(statusQuery);
        if (holds(status)) return status;
        if (Date.now() > giveUpAt) throw new Error(`never: ${what}; status is ${JSON.stringify(status, undefined, 1)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    finish: async (handle) => {
      let over = false;
      const standsStill = async (): Promise<RunStatus | undefined> => {
        while (!over) {
          await new Promise((resolve) => setTimeout(resolve, 250));
          const status = over ? undefined : await handle.query(statusQuery).catch(() => undefined);
          if (status?.needsAttention === undefined && status?.paused === undefined) continue;
          if (status.phase !== 'failed') return status;
        }
        return undefined;
      };
      const watching = standsStill();
      const stuck = watching.then(async (status) => {
        if (status === undefined) return await handle.result();
        throw new Error(`the run stands still: ${JSON.stringify(status, undefined, 1)}\n${world.log.join('\n')}`);
      });
      try {
        return await Promise.race([handle.result(), stuck]);
      } finally {
        over = true;
        // A query that is tried again after the connection was closed would throw where nobody can catch it.
        await watching;
      }
    },
    stop: async () => {
      if (process.env['NODEFERRY_TEST_LOG'] !== undefined) console.log(world.log.join('\n'));
      world.clock.stop();
      await stopWorker();
      await native.close();
      await connection.close();
    },
  };
}

/** Tells the virtual clock about every attempt, and lets a test interfere. */
function hooked(activities: Activities, world: World, hooks: StepHooks): Activities {
  const wrapped = Object.entries(activities).map(([name, step]) => [
    name,
    async (...args: unknown[]) => {
      world.clock.stepBegins();
      let patience: number | undefined;
      if (hooks.progress !== undefined) overhear(name, hooks.progress);
      let successors = lastOfMany.includes(name) ? 0 : 1;
      try {
        await hooks.before?.(name, args);
        const result: unknown = await (step as (...given: unknown[]) => Promise<unknown>)(...args);
        if (name === 'awaitStepOut') successors += grantsIn(result);
        await hooks.after?.(name, args);
        return result;
      } catch (error) {
        // Another attempt is sure to come, after a pause in real time.
        const final = error instanceof ApplicationFailure && error.nonRetryable === true;
        if (!final && Context.current().cancellationDetails?.cancelRequested !== true) patience = 5_000;
        throw error;
      } finally {
        world.clock.stepEnds(successors, patience);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as Activities;
}

/** Listens to the heartbeats of the attempt that is running now. */
function overhear(step: string, hear: (step: string, details: StepProgress) => void): void {
  const context = Context.current();
  const tell = context.heartbeat.bind(context);
  Object.defineProperty(context, 'heartbeat', {
    value: (details: StepProgress) => {
      tell(details);
      hear(step, details);
    },
  });
}

/** Steps after which the workflow that ran them has none to come. */
const lastOfMany: readonly string[] = ['terminateNode', 'putBackNode', 'letGo', 'watchRun'];

function grantsIn(result: unknown): number {
  const grants: unknown = typeof result === 'object' && result !== null && 'grants' in result ? result.grants : [];
  return Array.isArray(grants) ? grants.length : 0;
}
