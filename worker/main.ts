import { NativeConnection, Runtime } from '@temporalio/worker';
import { createActivities } from '../activities/activities.ts';
import { NodeferryError } from '../core/model/problem.ts';
import { ensureWorkflowBundle } from './bundle.ts';
import { readConfig, type WorkerConfig } from './config.ts';
import { serveHealth } from './health.ts';
import { createLogger, temporalLogger } from './logging.ts';
import { openPorts } from './ports.ts';
import { requireSearchAttributes } from './search-attributes.ts';
import { tellLeftovers } from './tell-leftovers.ts';
import { createWorkers } from './workers.ts';

/**
 * Runs a worker until SIGTERM or SIGINT. Steps that run then are told to stop and are taken up where they stood, by this worker
 * after its restart or by another one.
 */
async function main(config: WorkerConfig): Promise<void> {
  const logger = createLogger(config.logLevel);
  const forTemporal = temporalLogger(logger);
  Runtime.install({ logger: forTemporal, telemetryOptions: telemetry(config) });
  const codePath = await ensureWorkflowBundle(forTemporal);
  const connection = await connect(config);
  const opened = openPorts(config, (error) => logger.warn({ problem: error.problem }, 'an Event was not written'));
  try {
    await requireSearchAttributes(connection, config.namespace);
    const workers = await createWorkers({
      connection,
      namespace: config.namespace,
      taskQueue: config.taskQueue,
      workflowBundle: { codePath },
      activities: createActivities(opened.ports),
      maxConcurrentActivityTaskExecutions: config.maxSteps,
      // Progress and cancellation travel with heartbeats: seconds matter to whoever watches.
      maxHeartbeatThrottleInterval: '1s',
      defaultHeartbeatThrottleInterval: '1s',
    });
    const { health } = config;
    const server = health === undefined ? undefined : await serveHealth(health, workers.isRunning);
    logger.info(
      { taskQueue: config.taskQueue, namespace: config.namespace, address: config.connection.address },
      'worker runs',
    );
    const told = tellLeftovers(opened.ports.cluster, logger);
    try {
      await Promise.all([workers.run(), told]);
    } finally {
      server?.close();
    }
    logger.info('worker has stopped');
  } finally {
    opened.close();
    await connection.close();
  }
}

async function connect(config: WorkerConfig): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(config.connection);
  } catch (cause) {
    throw new NodeferryError(
      {
        code: 'TemporalUnreachable',
        message: `No Temporal server answers at ${config.connection.address ?? 'localhost:7233'}.`,
        hint: 'Set TEMPORAL_ADDRESS (and TEMPORAL_NAMESPACE, TEMPORAL_API_KEY or TEMPORAL_TLS_*) as for the temporal CLI.',
      },
      { cause },
    );
  }
}

function telemetry({ metrics }: WorkerConfig) {
  const logging = { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } as const;
  if (metrics === undefined) return { logging };
  const prometheus = {
    bindAddress: `${metrics.host}:${metrics.port}`,
    countersTotalSuffix: true,
    unitSuffix: true,
    useSecondsForDurations: true,
  };
  return { logging, metrics: { prometheus } };
}

try {
  await main(readConfig(process.env));
} catch (error) {
  const problem = error instanceof NodeferryError ? error.problem : undefined;
  const message = problem === undefined ? String(error instanceof Error ? error.stack : error) : problem.message;
  process.stderr.write(`nodeferry worker: ${message}\n${problem?.hint === undefined ? '' : `  ${problem.hint}\n`}`);
  process.exitCode = problem?.code === 'InvalidPolicy' ? 2 : 1;
}
