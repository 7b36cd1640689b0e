import { indexOf } from '../model/cluster-index.ts';
import { countWaves, surgeAtOnce } from '../surge/at-once.ts';
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
  const { policy, facts, services, nodes } = question;
  const { batches } = question.batches;
  const planned = new Set(services.map((service) => service.service));
  const groups = facts.targetGroups.filter((group) => planned.has(group.service));
  const connectionDrainMs = Math.max(0, ...services.map((service) => service.connectionDrainMs));
  const graceMs = 1000 * maxGraceSeconds(question);
  const startAndStopMs = usual.podStartMs + Math.min(graceMs, usual.podStartMs);
  const healthyMs = Math.max(0, ...groups.map((group) => podToHealthyMs(group, policy.waits)));
  const registeredMs = Math.max(0, ...groups.map((group) => nodeToHealthyMs(group, policy.waits)));
  const forwardedMs = Math.max(0, ...services.map((service) => service.forwardedMs));
  const waves = countWaves(policy, nodes.length);
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
    { name: `${emptied} × pods leave`, ms: emptied * Math.min(graceMs, usual.podStartMs) },
    { name: `${followed} × replacements turn healthy`, ms: followed * healthyMs },
    {
      name: 'last connections through old nodes end',
      ms: waves * Math.max(0, policy.waits.propagationMs + forwardedMs - connectionDrainMs),
    },
    { name: waves === 1 ? 'last termination' : `${waves} × termination`, ms: waves * usual.terminationMs },
  ].filter((term) => term.ms > 0);
  const totalMs = terms.reduce((sum, term) => sum + term.ms, 0);
  const atOnce = surgeAtOnce(policy, nodes.length) ?? nodes.length;
  return { totalMs, terms, instanceMinutes: Math.round((atOnce * totalMs) / 60_000) };
}

function maxGraceSeconds({ facts, nodes }: EstimateQuestion): number {
  const index = indexOf(facts.cluster);
  return nodes
    .flatMap((node) => index.podsOn(node.name))
    .reduce((longest, pod) => Math.max(longest, pod.terminationGracePeriodSeconds), 0);
}
