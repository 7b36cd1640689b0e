import { parseDuration, parseShare } from './durations.ts';
import {
  type GuardPolicy,
  type HandOverPolicy,
  handsOver,
  type Policy,
  type SurgeLimit,
  type Surplus,
  type WaitPolicy,
} from './policy.ts';
import type { WrittenPolicy } from './schema.ts';

/** Longest name of an EKS node group (Amazon EKS API reference, CreateNodegroup). */
export const longestPoolName = 63;

/** Turns the written form, already valid, into the policy that everything else reads: durations in ms, names filled in. */
export function resolvePolicy(written: WrittenPolicy): Policy {
  const { metadata, spec } = written;
  const handOver = resolveHandOver(spec.handOver);
  return {
    name: metadata.name,
    cluster: spec.cluster,
    pool: spec.pool,
    target: {
      poolName: spec.target.poolName ?? defaultPoolName(spec.pool.name, spec.target),
      version: spec.target.version,
      releaseVersion: spec.target.releaseVersion,
      launchTemplateVersion: spec.target.launchTemplateVersion,
    },
    surge: resolveSurge(spec.surge),
    guard: resolveGuard(spec.guard, handsOver({ handOver }) ? 100 : 10),
    waits: resolveWaits(spec.waits),
    drain: spec.drain,
    handOver,
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
    disabledRules: [...new Set(spec.disabledRules)],
  };
}

/** Name of the replacement pool when the policy gives none: the old name with the new version in place of the old one. */
function defaultPoolName(pool: string, target: WrittenPolicy['spec']['target']): string {
  const base = pool.replace(/-\d+-\d+(?:-\d+)*$/, '');
  const { version, releaseVersion, launchTemplateVersion } = target;
  const launch = launchTemplateVersion === undefined ? undefined : `lt-${launchTemplateVersion}`;
  const suffix = version ?? releaseVersion ?? launch ?? 'next';
  return `${base}-${suffix.replaceAll(/[^0-9A-Za-z]+/g, '-')}`;
}

function resolveSurge(surge: number | string): SurgeLimit {
  return typeof surge === 'number' ? { machines: surge } : { share: parseShare(surge) ?? 1 };
}

function resolveGuard(guard: WrittenPolicy['spec']['guard'], mostInFlight: number): GuardPolicy {
  const floors = Object.entries(guard.floors).map(([service, floor]) => [
    service,
    typeof floor === 'number' ? { targets: floor } : { share: parseShare(floor) ?? 1 },
  ]);
  return {
    defaultFloor: parseShare(guard.defaultFloor) ?? 1,
    maxInFlight: guard.maxInFlight ?? mostInFlight,
    floors: Object.fromEntries(floors),
    acceptUnprotected: [...new Set(guard.acceptUnprotected)],
  };
}

function resolveHandOver({ mode, surplus, workloads }: WrittenPolicy['spec']['handOver']): HandOverPolicy {
  const exceptions = Object.entries(workloads).map(([workload, terms]) => [
    workload,
    { mode: terms.mode ?? mode, surplus: resolveSurplus(terms.surplus ?? surplus) },
  ]);
  return { mode, surplus: resolveSurplus(surplus), workloads: Object.fromEntries(exceptions) };
}

function resolveSurplus(surplus: string): Surplus {
  return surplus === 'maxSurge' ? surplus : (parseShare(surplus) ?? 1);
}

function resolveWaits(waits: WrittenPolicy['spec']['waits']): WaitPolicy {
  const { deadlines } = waits;
  return {
    propagationMs: milliseconds(waits.propagation),
    endpointPropagationMs: milliseconds(waits.endpointPropagation),
    marginMs: milliseconds(waits.margin),
    pollMs: milliseconds(waits.poll),
    settleMs: milliseconds(waits.settle),
    settleAfterOutageMs: milliseconds(waits.settleAfterOutage),
    maxConnectionAgeMs: Object.fromEntries(
      Object.entries(waits.maxConnectionAge).map(([service, age]) => [service, milliseconds(age)]),
    ),
    deadlines: {
      surgeReadyMs: milliseconds(deadlines.surgeReady),
      capacityMs: milliseconds(deadlines.capacity),
      observedOutMs: milliseconds(deadlines.observedOut),
      connectionsDrainedMs: milliseconds(deadlines.connectionsDrained),
      evictionMs: milliseconds(deadlines.eviction),
      replacementsServingMs: milliseconds(deadlines.replacementsServing),
      endpointsRetiredMs: milliseconds(deadlines.endpointsRetired),
      nodeGoneMs: milliseconds(deadlines.nodeGone),
      completionMs: milliseconds(deadlines.completion),
      guardMs: milliseconds(deadlines.guard),
    },
  };
}

function milliseconds(text: string): number {
  return parseDuration(text) ?? 0;
}
