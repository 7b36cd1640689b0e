import { hostname } from 'node:os';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { createActivities } from '../activities/activities.ts';
import { findEndpointFault } from '../adapters/endpoint/find-fault.ts';
import { readVersion } from '../adapters/package/version.ts';
import { loadPayloadCodecs } from '../adapters/payload-codecs/load.ts';
import { explainConnection } from '../core/connection/explain-connection.ts';
import { workerIdentity } from '../core/connection/worker-identity.ts';
import { NodeferryError } from '../core/model/problem.ts';
import { metrics as allMetrics, bucketsOf } from '../core/status/metrics.ts';
import { ensureWorkflowBundle, failureConverterPath } from './bundle.ts';
import type { WorkerConfig } from './config.ts';
import { serveHealth } from './health.ts';
import { logLeftovers } from './log-leftovers.ts';
import { createLogger, temporalLogger, warningsOnly } from './logging.ts';
import { measureSteps } from './measure-steps.ts';
import { openPorts } from './ports.ts';
import { requireSearchAttributes } from './search-attributes.ts';
import { createWorkers } from './workers.ts';

/** Longest time spent finding out why Temporal does not answer, ms. */
const diagnosisMs = 2_000;

/**
 * Runs a worker until SIGTERM or SIGINT. Steps that run then are told to stop and are resumed from their last heartbeat, by this worker after its
 * restart or by another one. @param onRunning called once the worker runs and stops on a signal. @throws NodeferryError when it can't start; then the
 * process must exit, because what is open is not closed
 */
export async function runWorker(config: WorkerConfig, onRunning: () => void): Promise<void> {
  const payloadCodecs = await loadPayloadCodecs(config.payloadCodec);
  const encodesFailures = payloadCodecs.length > 0;
  const logger = createLogger(config.logLevel);
  const forTemporal = temporalLogger(logger);
  installRuntime(config, forTemporal);
  let isRunning = () => false;
  // First whatever can fail at once: another worker on this machine, a cluster that is not configured.
  const server = config.health === undefined ? undefined : await serveHealth(config.health, () => isRunning());
  const opened = openPorts(config, (error) => logger.warn({ problem: error.problem }, 'an Event was not written'));
  const connection = await connect(config);
  const { namespace, taskQueue } = config;
  const { address } = config.connection;
  await requireSearchAttributes(connection, { address, namespace });
  const workers = await createWorkers({
    connection,
    namespace,
    taskQueue,
    identity: workerIdentity(readVersion(), process.pid, hostname()),
    workflowBundle: await ensureWorkflowBundle(warningsOnly(forTemporal), { encodesFailures }),
    ...(encodesFailures ? { dataConverter: { payloadCodecs, failureConverterPath } } : {}),
    activities: createActivities(opened.ports),
    interceptors: { activity: [measureSteps] },
    maxConcurrentActivityTaskExecutions: config.maxSteps,
    // Progress and cancellation travel with heartbeats: seconds matter to whoever watches.
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
  });
  isRunning = workers.isRunning;
  onRunning();
  logger.info({ taskQueue, namespace, address }, 'worker runs');
  await Promise.all([workers.run(), logLeftovers(opened.ports.cluster, logger)]);
  server?.close();
  opened.close();
  await connection.close();
  logger.info('worker has stopped');
}

/** @throws NodeferryError Internal when the address of the metrics is taken */
function installRuntime(config: WorkerConfig, logger: ReturnType<typeof temporalLogger>): void {
  try {
    Runtime.install({ logger, telemetryOptions: telemetry(config) });
  } catch (cause) {
    const { metrics } = config;
    if (metrics === undefined) throw cause;
    throw new NodeferryError(
      {
        code: 'Internal',
        message: `the metrics can't be served on ${metrics.host}:${metrics.port}: ${cause instanceof Error ? cause.message : String(cause)}`,
        hint: 'Set NODEFERRY_METRICS_ADDRESS to another host:port, or to `off`.',
      },
      { cause },
    );
  }
}

async function connect({ connection }: WorkerConfig): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(connection);
  } catch (cause) {
    const fault = await findEndpointFault(connection, diagnosisMs);
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new NodeferryError(explainConnection(connection.address, fault, said), { cause });
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
    histogramBucketOverrides: bucketsOf(allMetrics),
  };
  return { logging, metrics: { prometheus } };
}
