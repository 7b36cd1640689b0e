import { parseDuration, parseShare } from '../core/policy/durations.ts';
import {
  type DeadlinePolicy,
  type GuardPolicy,
  type NodeSurgeLimit,
  type PodSurgeLimit,
  type PodSurgePolicy,
  type Policy,
  surgesPods,
  type WaitPolicy,
} from '../core/policy/policy.ts';
import type { RolloutPolicy } from '../core/rollout/rollout.ts';
import { deadlines } from '../core/steps/steps.ts';
import type { ProviderSection } from './providers/section.ts';
import { resolveSchedule } from './resolve-schedule.ts';
import type { WrittenPolicy } from './schema.ts';

/** Converts the written form, which is already valid, into the policy that everything else reads: durations in ms, names filled in. */
export function resolvePolicy(written: WrittenPolicy, section: ProviderSection): Policy {
  const { metadata, spec } = written;
  const { poolName, adopt, version, ...settings } = spec.target;
  const podSurge = resolvePodSurge(spec.podSurge);
  return {
    name: metadata.name,
    cluster: spec.cluster,
    pool: spec.pool,
    target: {
      poolName: poolName ?? defaultPoolName(spec.pool.name, version ?? section.nameSuffix(settings)),
      version,
      ...settings,
    },
    ...(adopt ? { adoptTarget: true as const } : {}),
    nodeSurge: resolveNodeSurge(spec.nodeSurge),
    guard: resolveGuard(spec.guard, surgesPods({ podSurge }) ? 100 : 10),
    waits: resolveWaits(spec.waits),
    drain: spec.drain,
    podSurge,
    traffic: {
      probes: spec.traffic.probes.map(({ name, urls, ratePerSecond, timeout }) => ({
        name,
        urls,
        ratePerSecond,
        timeoutMs: milliseconds(timeout),
      })),
      lossBudget: spec.traffic.lossBudget,
      watchAfterMs: milliseconds(spec.traffic.watchAfter),
    },
    ...(spec.rollout === undefined ? {} : { rollout: resolveRollout(spec.rollout) }),
    ...(spec.schedule === undefined ? {} : { schedule: resolveSchedule(spec.schedule) }),
    ...resolveAccept(spec.accept),
    disabledRules: [...new Set(spec.disabledRules)],
  };
}

function resolveAccept(written: WrittenPolicy['spec']['accept']): Pick<Policy, 'accept'> {
  const reasons = Object.entries(written).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return reasons.length === 0 ? {} : { accept: Object.fromEntries(reasons) };
}

/** Default name of the replacement pool: the old name, with the new version in place of the old one. */
function defaultPoolName(pool: string, suffix = 'next'): string {
  const base = pool.replace(/-\d+-\d+(?:-\d+)*$/, '');
  return `${base}-${suffix.replaceAll(/[^0-9A-Za-z]+/g, '-')}`;
}

function resolveNodeSurge(nodeSurge: number | string): NodeSurgeLimit {
  return typeof nodeSurge === 'number' ? { instances: nodeSurge } : { share: parseShare(nodeSurge) ?? 1 };
}

function resolveGuard(guard: WrittenPolicy['spec']['guard'], maxInFlight: number): GuardPolicy {
  const minServing = Object.entries(guard.minServing).map(([service, minimum]) => [
    service,
    typeof minimum === 'number' ? { targets: minimum } : { share: parseShare(minimum) ?? 1 },
  ]);
  return {
    defaultMinServing: parseShare(guard.defaultMinServing) ?? 1,
    maxInFlight: guard.maxInFlight ?? maxInFlight,
    minServing: Object.fromEntries(minServing),
    acceptUnprotected: [...new Set(guard.acceptUnprotected)],
  };
}

function resolvePodSurge({ mode, max, workloads }: WrittenPolicy['spec']['podSurge']): PodSurgePolicy {
  const exceptions = Object.entries(workloads).map(([workload, terms]) => [
    workload,
    { mode: terms.mode ?? mode, max: resolveSurgeLimit(terms.max ?? max) },
  ]);
  return { mode, max: resolveSurgeLimit(max), workloads: Object.fromEntries(exceptions) };
}

function resolveSurgeLimit(max: string): PodSurgeLimit {
  return max === 'maxSurge' ? max : (parseShare(max) ?? 1);
}

function resolveRollout(rollout: NonNullable<WrittenPolicy['spec']['rollout']>): RolloutPolicy {
  const { canary, zones, approvals, maxFailures } = rollout;
  const timeoutMs = approvals?.timeout === undefined ? undefined : milliseconds(approvals.timeout);
  return {
    ...(canary === undefined ? {} : { canary: { nodes: canary.nodes, soakMs: milliseconds(canary.soak) } }),
    zones: [...new Set(zones)],
    ...(approvals === undefined ? {} : { approvals: { at: approvals.at, timeoutMs, onTimeout: approvals.onTimeout } }),
    ...(maxFailures === undefined ? {} : { maxFailures }),
  };
}

function resolveWaits(waits: WrittenPolicy['spec']['waits']): WaitPolicy {
  return {
    propagationMs: milliseconds(waits.propagation),
    endpointPropagationMs: milliseconds(waits.endpointPropagation),
    marginMs: milliseconds(waits.margin),
    pollIntervalMs: milliseconds(waits.pollInterval),
    stabilizationMs: milliseconds(waits.stabilization),
    stabilizationAfterOutageMs: milliseconds(waits.stabilizationAfterOutage),
    maxConnectionAgeMs: Object.fromEntries(
      Object.entries(waits.maxConnectionAge).map(([service, age]) => [service, milliseconds(age)]),
    ),
    deadlines: resolveDeadlines(waits.deadlines),
  };
}

function resolveDeadlines(written: WrittenPolicy['spec']['waits']['deadlines']): DeadlinePolicy {
  const entries = deadlines.map(({ field }) => [`${field}Ms`, milliseconds(written[field])]);
  return Object.fromEntries(entries) as DeadlinePolicy;
}

function milliseconds(text: string): number {
  return parseDuration(text) ?? 0;
}
