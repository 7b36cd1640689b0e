/** An upgrade in the lab: nodeferry replaces a node group while traffic flows. */
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { startUpgrade } from '../client/commands/upgrade.ts';
import { type FetchedRun, fetchRun } from '../client/fetch-status.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { RunReport, RunStatus } from '../core/status/status.ts';
import type { ProtectiveRule } from '../core/steps/steps.ts';
import type { RunningLab } from '../lab/running-lab.ts';
import { parsePolicy } from '../policy-file/parse.ts';
import { nodeReplacementId, poolUpgradeId } from '../workflows/messages.ts';
import type { AnySession } from './session.ts';

const template = new URL('./policy.yaml', import.meta.url);

/** Policy fields that disable pod surge: pods are evicted within their budgets, so that nodes leave in batches. */
export const inBatches = { podSurge: { mode: 'off' } } as const;

/** How an upgrade may differ. */
export interface LabUpgradeOptions {
  readonly pool: string;
  readonly newPool: string;
  readonly version: string;
  readonly without?: readonly ProtectiveRule[];
  /** Merged over the policy's `spec`, one level deep. */
  readonly spec?: Readonly<Record<string, string | number | Readonly<Record<string, unknown>>>>;
}

/** The demo's policy for an upgrade, with probes to the lab's load balancers. Pods are surged unless `spec` says `inBatches`. */
export function labUpgradePolicy(lab: RunningLab, options: LabUpgradeOptions): Policy {
  const written = parse(readFileSync(template, 'utf8')) as { spec: Record<string, unknown> };
  for (const [section, values] of Object.entries(options.spec ?? {})) {
    written.spec[section] = typeof values === 'object' ? { ...objectOf(written.spec[section]), ...values } : values;
  }
  const probes = lab.services.map((service) => ({
    name: service.name,
    urls: service.vips.map((vip) => `http://${vip.address}:${service.port}/`),
    ratePerSecond: 2,
  }));
  const text = stringify({
    ...written,
    spec: {
      ...written.spec,
      // A loss budget needs its own probes, or none.
      traffic: { ...(options.spec?.['traffic'] === undefined ? { probes } : {}), ...objectOf(written.spec['traffic']) },
      cluster: { name: lab.scenario.clusterName, region: lab.scenario.region },
      pool: { provider: lab.cloud.provider, name: options.pool },
      target: { poolName: options.newPool, version: options.version },
      disabledRules: options.without ?? [],
    },
  });
  const parsed = parsePolicy(text, 'demo/policy.yaml');
  if (!parsed.ok) throw new Error(parsed.problems.map((problem) => `${problem.field}: ${problem.message}`).join('; '));
  return parsed.policy;
}

function objectOf(section: unknown): object {
  return typeof section === 'object' && section !== null ? section : {};
}

/** Starts an upgrade. */
export async function startLabUpgrade(session: AnySession, policy: Policy): Promise<void> {
  await startUpgrade(session.connection, policy, 'upgrade in the lab');
}

/**
 * Follows an upgrade until its end; `onStatus` gets every status. A worker that is away for a while is waited for. Rejects with the signal's reason
 * once no call to Temporal is in progress any more.
 */
export async function followLabUpgrade(
  session: AnySession,
  policy: Policy,
  onStatus: (status: RunStatus) => void | Promise<void> = () => undefined,
  signal?: AbortSignal,
): Promise<RunReport> {
  const target = { cluster: policy.cluster.name, pool: policy.pool.name };
  for (;;) {
    signal?.throwIfAborted();
    const run = await fetchRun(session.connection, target).catch(() => undefined);
    if (run) await onStatus(run.status);
    if (run && !run.running) return reportOf(run);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function reportOf({ report, status }: FetchedRun): RunReport {
  if (report !== undefined && report.outcome !== 'failed') return report;
  const { stalled, workflow } = status;
  throw new Error(`the run ${workflow?.state}: ${stalled?.message ?? workflow?.reason}`);
}

/** History events of the pool's workflow and of all of its nodes' workflows, per node. */
export async function countHistoryEvents(session: AnySession, report: RunReport): Promise<number> {
  const ids = [
    poolUpgradeId(report.cluster, report.pool),
    ...report.nodes.map((node) => nodeReplacementId(report.cluster, report.pool, report.run, node.node.name)),
  ];
  const lengths = await Promise.all(
    ids.map(async (id) => (await session.connection.client.workflow.getHandle(id).describe()).historyLength),
  );
  return lengths.reduce((sum, length) => sum + length, 0) / report.nodes.length;
}
