import { randomUUID } from 'node:crypto';
import { Client, type DataConverter, type WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, type InjectedSinks, type LogLevel, NativeConnection, Runtime } from '@temporalio/worker';
import { createActivities } from '../../activities/activities.ts';
import type { Policy } from '../../core/policy/policy.ts';
import {
  type PoolUpgradeInput,
  poolUpgradeId,
  scheduleId,
  upgradeOptions,
  workflowTypes,
} from '../../workflows/messages.ts';
import { createSimPorts } from '../simulator/ports.ts';
import type { World } from '../simulator/world.ts';
import { createAttempts, type StepHooks } from './attempts.ts';
import type { Awaits, AwaitsSinks } from './awaits.ts';
import { clientCalls } from './client-calls.ts';
import { createFollowRuns, type FollowRuns, type UpgradeFunction } from './follow-runs.ts';
import { createOpenEnds, type OpenEnds, type Run } from './open-ends.ts';
import { connectPatiently } from './patient-connection.ts';
import { startWorker } from './restartable-worker.ts';
import { createWatchedHandles } from './watched-handles.ts';
import { createWhatIsLeft } from './what-is-left.ts';

export type { StepHooks } from './attempts.ts';
export type { UpgradeFunction } from './follow-runs.ts';

/** A worker over a simulated world, on the real Temporal server of the test run. */
export interface Harness extends FollowRuns {
  readonly taskQueue: string;
  readonly world: World;
  readonly hooks: StepHooks;
  /** Starts an upgrade; every harness has a cluster name of its own, so that workflow ids don't meet. */
  start(policy: Policy, input?: Partial<PoolUpgradeInput>): Promise<WorkflowHandle<UpgradeFunction>>;
  /** Starts what a schedule starts when a window opens, and returns its ID and that of the upgrade that it may start. */
  launch(policy: Policy): Promise<Launched>;
  /** Any workflow, by its ID. */
  workflow(workflowId: string): WorkflowHandle;
  /** Resets a run to the moment before it asked for the first of its nodes' workflows. */
  resetToFirstChild(workflowId: string): Promise<void>;
  /** Ends the worker; `restart` brings the next one. */
  pauseWorker(): Promise<void>;
  /** Ends the worker if there is one, and starts a new one. */
  restart(): Promise<void>;
  /** Who waits for what; undefined when all workflows have ended. */
  whatIsLeft(): Promise<string | undefined>;
  /** Has whoever still waits for a run fail, and tell who waits for what. */
  failPending(): Promise<void>;
  /** Ends the world, its workflows, its worker, and every promise that anybody still waits for. */
  stop(): Promise<void>;
}

/** Where the Temporal server and the workflow bundle are. */
export interface TemporalPlace {
  readonly address: string;
  readonly codePath: string;
  /** How client and worker convert payloads; as the SDK does unless given. */
  readonly dataConverter?: DataConverter;
}

let quieted = false;

/** Creates a harness; whoever does stops it. Tests take `openHarness`, which sees to that. */
export async function createHarness(
  world: World,
  hooks: StepHooks,
  { address, codePath, dataConverter = {} }: TemporalPlace,
): Promise<Harness> {
  quiet();
  const { clock } = world;
  const attempts = createAttempts(createActivities(createSimPorts(world)), clock, hooks, (activity) =>
    ends.isToEnd(activity),
  );
  const ends = createOpenEnds(
    (activity) => attempts.of(activity),
    () => clock.recheck(),
  );
  clock.standStillWhile(() => ends.whyStill());

  const connection = await connectPatiently(address);
  const native = await NativeConnection.connect({ address });
  const client = new Client({ connection, dataConverter, interceptors: { workflow: [clientCalls(ends, clock)] } });
  const handles = createWatchedHandles();
  const whatIsLeft = createWhatIsLeft(world, { connection, ends, handles });
  const taskQueue = `test-${randomUUID()}`;
  const cluster = `sim-${randomUUID().slice(0, 8)}`;
  const worker = await startWorker({
    connection: native,
    taskQueue,
    workflowBundle: { codePath },
    dataConverter,
    activities: attempts.steps,
    ...(hooks.maxSteps === undefined ? {} : { maxConcurrentActivityTaskExecutions: hooks.maxSteps }),
    sinks: sinksInto(ends, hooks),
    maxHeartbeatThrottleInterval: 200,
    defaultHeartbeatThrottleInterval: 200,
    shutdownGraceTime: 0,
    // One run keeps no more of them busy, and every worker of every test has to open and to end its own.
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
  });
  const endWorkflows = async () => {
    const ended = ends.openRuns().map(async ({ workflowId }) => {
      await client.workflow.getHandle(workflowId).terminate('the test is over');
    });
    // One that has ended meanwhile is what is wanted.
    await Promise.allSettled(ended);
  };

  const stop = async () => {
    if (process.env['NODEFERRY_TEST_LOG'] !== undefined) console.log(world.log.join('\n'));
    clock.stop();
    attempts.end();
    await endWorkflows();
    await handles.close();
    // Those that were just being started.
    await endWorkflows();
    await worker.pause();
    await native.close();
    await connection.close();
  };
  let stopping: Promise<void> | undefined;

  return {
    taskQueue,
    world,
    hooks,
    start: (policy, input = {}) => {
      const named = { ...policy, cluster: { ...policy.cluster, name: cluster } };
      const full = { run: 'run-1', policy: named, by: 'tester', reason: 'a test', ...input };
      return handles.call('the start', startUpgrade(client, taskQueue, full).then(handles.watch));
    },
    launch: async (policy) => {
      const named = { ...policy, cluster: { ...policy.cluster, name: cluster } };
      return await handles.call('the launch', startLauncher(client, taskQueue, named));
    },
    workflow: (workflowId) => handles.watch(client.workflow.getHandle(workflowId)),
    resetToFirstChild: (workflowId) => handles.call('the reset', resetToFirstChild(client, ends, workflowId)),
    pauseWorker: worker.pause,
    restart: worker.restart,
    ...createFollowRuns(world, handles),
    whatIsLeft,
    failPending: async () =>
      handles.failPending(new Error(`given up\n${(await whatIsLeft()) ?? 'all workflows have ended'}`)),
    stop: async () => await (stopping ??= stop()),
  };
}

async function startUpgrade(client: Client, taskQueue: string, input: PoolUpgradeInput) {
  const type = input.policy.selection === undefined ? workflowTypes.poolUpgrade : workflowTypes.nodeDrain;
  return await client.workflow.start<UpgradeFunction>(type, {
    ...upgradeOptions(input.run, input.policy),
    taskQueue,
    args: [input],
    workflowIdConflictPolicy: 'FAIL',
  });
}

/** IDs of the workflow that a schedule starts, and of the upgrade that it may start. */
interface Launched {
  readonly launcher: string;
  readonly upgrade: string;
}

async function startLauncher({ workflow }: Client, taskQueue: string, policy: Policy): Promise<Launched> {
  const { cluster, pool } = policy;
  const schedule = scheduleId(cluster.name, pool.name);
  const launcher = `window-launcher/${cluster.name}/${pool.name}-${randomUUID()}`;
  await workflow.start(workflowTypes.windowLauncher, { workflowId: launcher, taskQueue, args: [{ schedule, policy }] });
  return { launcher, upgrade: poolUpgradeId(cluster.name, pool.name) };
}

async function resetToFirstChild({ connection, workflow }: Client, ends: OpenEnds, workflowId: string): Promise<void> {
  const done = ends.beginCall(`the reset of ${workflowId}`);
  try {
    const handle = workflow.getHandle(workflowId);
    const { runId } = await handle.describe();
    const { events } = await handle.fetchHistory();
    const [child] = (events ?? []).flatMap((one) => one.startChildWorkflowExecutionInitiatedEventAttributes ?? []);
    if (child === undefined) throw new Error(`${workflowId} has no child`);
    const answer = await connection.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId, runId },
      reason: 'a test',
      requestId: randomUUID(),
      workflowTaskFinishEventId: child.workflowTaskCompletedEventId ?? null,
    });
    ends.expect({ workflowId, runId: answer.runId });
    ends.replaced({ workflowId, runId });
  } finally {
    done();
  }
}

function sinksInto(ends: OpenEnds, hooks: StepHooks): InjectedSinks<AwaitsSinks> {
  const tell = async (run: Run, awaits: Awaits) => {
    ends.tell(run, awaits);
    await hooks.activated?.(run.workflowId, awaits);
  };
  const clock = { awaits: { fn: tell, callDuringReplay: false } };
  const { logged } = hooks;
  if (logged === undefined) return { clock };
  const hear = { fn: (_run: Run, message: string) => logged(message), callDuringReplay: false };
  const logger = { trace: hear, debug: hear, info: hear, warn: hear, error: hear };
  return { clock, defaultWorkerLogger: logger };
}

/** Keeps the logs of all workers of this process out of what tests print, unless NODEFERRY_TEST_LOG wants them. */
export function quiet(): void {
  if (quieted) return;
  quieted = true;
  const level = (process.env['NODEFERRY_TEST_LOG'] ?? 'ERROR') as LogLevel;
  Runtime.install({ logger: new DefaultLogger(level) });
}
