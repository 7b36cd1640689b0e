import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { payloadCodecVariable } from '../adapters/payload-codecs/load.ts';
import { defaultTemporalPort, explainAddress, explainSettings } from '../core/connection/explain-connection.ts';
import { NodeferryError } from '../core/model/problem.ts';
import { googleFromEnvironment, regionFromEnvironment } from '../wiring/environment.ts';
import type { GoogleSettings } from '../wiring/google-settings.ts';
import { defaultTaskQueue } from '../workflows/messages.ts';

/** Where a small HTTP server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Everything that a worker is configured with from outside. */
export interface WorkerConfig {
  /** From TEMPORAL_*, TEMPORAL_PROFILE and the TOML file, as the temporal CLI reads them. */
  readonly connection: NativeConnectionOptions & { readonly address: string };
  readonly namespace: string;
  /** Path of the module with the codecs of all payloads; undefined for none. */
  readonly payloadCodec: string | undefined;
  readonly taskQueue: string;
  /** `/livez` and `/readyz`; undefined when disabled. */
  readonly health: ListenAddress | undefined;
  /** Prometheus `/metrics`; undefined when disabled. */
  readonly metrics: ListenAddress | undefined;
  /** Namespace of the locks; undefined for `nodeferry` when it exists, else `default`. */
  readonly leaseNamespace: string | undefined;
  /** Region of the load balancers of AWS; undefined where only Google Cloud is configured. */
  readonly awsRegion: string | undefined;
  readonly google: GoogleSettings;
  /** Describe calls to Elastic Load Balancing per second over all steps of this worker; undefined for the adapter's default. */
  readonly elbRatePerSecond: number | undefined;
  /** Reads of Compute Engine per second, likewise, for each project. */
  readonly gceRatePerSecond: number | undefined;
  /** Maximum number of steps that run at the same time. A node in progress occupies one; long waits occupy none. */
  readonly maxSteps: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/** Reads the configuration from environment variables. @throws NodeferryError InvalidArgument naming the variable and its allowed values */
export function readConfig(env: Readonly<Record<string, string | undefined>>): WorkerConfig {
  const temporal = readTemporal(env);
  const address = temporal.connectionOptions.address ?? `localhost:${defaultTemporalPort}`;
  const problem = explainAddress(address);
  if (problem !== undefined) throw new NodeferryError(problem);
  const google = googleFromEnvironment(env);
  const awsRegion = env['NODEFERRY_REGION'] || regionFromEnvironment(env, 'eks');
  if (awsRegion === undefined && google.project === undefined) throw noCloud();
  return {
    connection: { ...temporal.connectionOptions, address },
    namespace: temporal.namespace ?? 'default',
    payloadCodec: env[payloadCodecVariable] || undefined,
    taskQueue: env['NODEFERRY_TASK_QUEUE'] ?? defaultTaskQueue,
    health: listenAddress(env, 'NODEFERRY_HEALTH_ADDRESS', '127.0.0.1:8686'),
    metrics: listenAddress(env, 'NODEFERRY_METRICS_ADDRESS', '127.0.0.1:9464'),
    leaseNamespace: env['NODEFERRY_LEASE_NAMESPACE'],
    awsRegion,
    google,
    elbRatePerSecond: positive(env, 'NODEFERRY_ELB_RATE'),
    gceRatePerSecond: positive(env, 'NODEFERRY_GCE_RATE'),
    maxSteps: positive(env, 'NODEFERRY_MAX_STEPS') ?? 200,
    logLevel: oneOf(env, 'NODEFERRY_LOG_LEVEL', logLevels, 'info'),
  };
}

function readTemporal(env: Readonly<Record<string, string | undefined>>): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig({ overrideEnvVars: definedOf(env) });
  } catch (cause) {
    throw new NodeferryError(explainSettings(cause instanceof Error ? cause.message : String(cause)), { cause });
  }
}

function listenAddress(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  fallback: string,
): ListenAddress | undefined {
  const text = env[name] ?? fallback;
  if (text === 'off') return undefined;
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) throw wrong(name, text, 'host:port, e.g. 127.0.0.1:8686, or `off`');
  return { host, port: Number(port) };
}

function positive(env: Readonly<Record<string, string | undefined>>, name: string): number | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw wrong(name, text, 'a number above 0');
  return value;
}

function oneOf<T extends string>(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const text = env[name] ?? fallback;
  const value = allowed.find((one) => one === text);
  if (value === undefined) throw wrong(name, text, allowed.join(', '));
  return value;
}

function definedOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function noCloud(): NodeferryError {
  return new NodeferryError({
    code: 'InvalidArgument',
    message: 'AWS_REGION is not set',
    hint: 'Set it to the region of the cluster, e.g. eu-west-1. For a cluster of GKE set GOOGLE_CLOUD_PROJECT to its project.',
  });
}

function wrong(name: string, value: string, allowed: string): NodeferryError {
  return new NodeferryError({
    code: 'InvalidArgument',
    message: `${name} is ${JSON.stringify(value)}`,
    hint: `Set it to ${allowed}.`,
  });
}
