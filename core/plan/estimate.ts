import { indexOf } from '../model/cluster-index.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import { surgesPods } from '../policy/policy.ts';
import type { ExpectedTimes } from '../schedule/needed-time.ts';
import { countWaves, surgeAtOnce } from '../surge/at-once.ts';
import { compareText } from '../text/format.ts';
import { nodeToHealthyMs, podToHealthyMs } from '../waits/formulas.ts';
import { evictionRounds } from './eviction-rounds.ts';
import type { DurationTerm } from './lower-bound.ts';
import type { ServicePlan } from './pool-plan.ts';
import { type Batches, type BatchesInput, isSurged } from './simulate-batches.ts';

/** Usual times, ms, of what cannot be read from anywhere: boot and termination of a cloud instance, start and stop of a pod. */
const usual = { bootMs: 120_000, podStartMs: 20_000, terminationMs: 60_000 } as const;

/** A run, and how its nodes could leave in the best case. */
interface EstimateQuestion extends Omit<BatchesInput, 'baselines'> {
  readonly services: readonly ServicePlan[];
  readonly batches: Batches;
}

/** Expected duration of a run, ms, with its parts: boot and registration, then batch after batch, for each wave of new nodes. */
export function estimateRun(question: EstimateQuestion): {
  readonly totalMs: number;
  readonly terms: readonly DurationTerm[];
  readonly instanceMinutes: number;
} {
  const { policy, facts, nodes } = question;
  const { batches } = question.batches;
  const { connectionDrainMs, stopMs, startAndStopMs, healthyMs, registeredMs, forwardedRestMs } = partsOf(question);
  const { selection } = policy;
  const waves = selection === undefined ? countWaves(policy, nodes.length) : 0;
  const endings = selection === undefined ? waves : Number(selection.terminate);
  const podSurges = batches.filter(({ followsPodSurge }) => followsPodSurge).length;
  const emptied = batches.filter((batch) => isSurged(batch, facts.cluster)).length;
  const followed = batches.length - emptied;
  const rounds = batches.reduce(
    (sum, batch) =>
      sum + (isSurged(batch, facts.cluster) ? 0 : evictionRounds(batch.nodes, facts.cluster, batch.surged)),
    0,
  );
  const terms = [
    {
      name: waves === 1 ? 'new nodes boot and register' : `${waves} × new nodes boot and register`,
      ms: waves * (usual.bootMs + registeredMs),
    },
    { name: `${podSurges} × pod surge`, ms: podSurges * (usual.podStartMs + healthyMs) },
    { name: `${batches.length} × deregistration`, ms: batches.length * connectionDrainMs },
    { name: `${rounds} × pods move`, ms: rounds * startAndStopMs },
    { name: `${emptied} × pods leave`, ms: emptied * stopMs },
    { name: `${followed} × replacements turn healthy`, ms: followed * healthyMs },
    {
      name: 'last connections through old nodes end',
      ms: Math.max(1, waves) * forwardedRestMs,
    },
    { name: endings === 1 ? 'last termination' : `${endings} × termination`, ms: endings * usual.terminationMs },
  ].filter((term) => term.ms > 0);
  const totalMs = terms.reduce((sum, term) => sum + term.ms, 0);
  const atOnce = selection === undefined ? (surgeAtOnce(policy, nodes.length) ?? nodes.length) : 0;
  return { totalMs, terms, instanceMinutes: Math.round((atOnce * totalMs) / 60_000) };
}

/** What must fit into an upgrade window: one wave of new nodes with the pods that are surged, and one batch of old nodes. */
export function expectTimes(question: EstimateQuestion): ExpectedTimes {
  const { facts, policy } = question;
  const { connectionDrainMs, startAndStopMs, healthyMs, registeredMs, forwardedRestMs, groups } = partsOf(question);
  const rounds = question.batches.batches.map((batch) =>
    isSurged(batch, facts.cluster) ? 1 : evictionRounds(batch.nodes, facts.cluster, batch.surged),
  );
  return {
    bootMs: usual.bootMs + registeredMs,
    podSurgeMs: surgesPods(policy) ? usual.podStartMs + healthyMs : 0,
    batchMs:
      connectionDrainMs + Math.max(1, ...rounds) * startAndStopMs + healthyMs + forwardedRestMs + usual.terminationMs,
    kinds: timingKinds(question.services, groups),
  };
}

/**
 * What decides how long a node takes to leave its load balancers: the kind of set that it is a target in, and whether the Service also sends
 * connections through nodes without an endpoint.
 */
function timingKinds(services: readonly ServicePlan[], groups: readonly TargetGroupFacts[]): readonly string[] {
  const policies = new Map(services.map((service) => [service.service, service.externalTrafficPolicy]));
  const kinds = groups.map(({ kind, service }) => `${kind} ${policies.get(service) ?? ''}`);
  return kinds.length === 0 ? ['no load balancer'] : [...new Set(kinds)].toSorted(compareText);
}

/** The parts of a duration, ms each. */
function partsOf(question: EstimateQuestion) {
  const { policy, facts, services } = question;
  const planned = new Set(services.map((service) => service.service));
  const groups = facts.targetGroups.filter((group) => planned.has(group.service));
  const connectionDrainMs = Math.max(0, ...services.map((service) => service.connectionDrainMs));
  const stopMs = Math.min(1000 * maxGraceSeconds(question), usual.podStartMs);
  const forwardedMs = Math.max(0, ...services.map((service) => service.forwardedMs));
  return {
    groups,
    connectionDrainMs,
    stopMs,
    startAndStopMs: usual.podStartMs + stopMs,
    healthyMs: Math.max(0, ...groups.map((group) => podToHealthyMs(group, policy.waits))),
    registeredMs: Math.max(0, ...groups.map((group) => nodeToHealthyMs(group, policy.waits))),
    forwardedRestMs: Math.max(0, policy.waits.propagationMs + forwardedMs - connectionDrainMs),
  };
}

function maxGraceSeconds({ facts, nodes }: EstimateQuestion): number {
  const index = indexOf(facts.cluster);
  return nodes
    .flatMap((node) => index.podsOn(node.name))
    .reduce((longest, pod) => Math.max(longest, pod.terminationGracePeriodSeconds), 0);
}
