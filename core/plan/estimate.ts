import { indexOf } from '../model/cluster-index.ts';
import { countSurges, surgeAtOnce } from '../surge/at-once.ts';
import { nodeToHealthyMs, podToHealthyMs } from '../waits/formulas.ts';
import { evictionTurns } from './eviction-turns.ts';
import type { DurationTerm } from './lower-bound.ts';
import type { ServicePlan } from './pool-plan.ts';
import { isHandedOver, type Windows, type WindowsInput } from './windows.ts';

/** Usual times, ms, of what can't be read from anywhere: a cloud machine's boot and end, a pod's start and stop. */
const usual = { bootMs: 120_000, podStartMs: 20_000, terminationMs: 60_000 } as const;

/** A run, and how its nodes could leave at best. */
interface EstimateQuestion extends Omit<WindowsInput, 'baselines'> {
  readonly services: readonly ServicePlan[];
  readonly windows: Windows;
}

/** Expected duration of a run, ms, with the parts that add up to it: boot and registration, then window after window, for each wave of new nodes. */
export function estimateRun(question: EstimateQuestion): {
  readonly totalMs: number;
  readonly terms: readonly DurationTerm[];
  readonly instanceMinutes: number;
} {
  const { policy, facts, services, nodes } = question;
  const { windows } = question.windows;
  const planned = new Set(services.map((service) => service.service));
  const groups = facts.targetGroups.filter((group) => planned.has(group.service));
  const drainMs = Math.max(0, ...services.map((service) => service.drainMs));
  const graceMs = 1000 * longestGraceSeconds(question);
  const startAndStopMs = usual.podStartMs + Math.min(graceMs, usual.podStartMs);
  const healthyMs = Math.max(0, ...groups.map((group) => podToHealthyMs(group, policy.waits)));
  const registeredMs = Math.max(0, ...groups.map((group) => nodeToHealthyMs(group, policy.waits)));
  const transitMs = Math.max(0, ...services.map((service) => service.transitMs));
  const surges = countSurges(policy, nodes.length);
  const waves = windows.filter(({ opensWave }) => opensWave).length;
  const emptied = windows.filter((window) => isHandedOver(window, facts.cluster)).length;
  const followed = windows.length - emptied;
  const turns = windows.reduce(
    (sum, window) =>
      sum + (isHandedOver(window, facts.cluster) ? 0 : evictionTurns(window.nodes, facts.cluster, window.handedOver)),
    0,
  );
  const terms = [
    {
      name: surges === 1 ? 'new nodes boot and register' : `${surges} × new nodes boot and register`,
      ms: surges * (usual.bootMs + registeredMs),
    },
    { name: `${waves} × pods are handed over`, ms: waves * (usual.podStartMs + healthyMs) },
    { name: `${windows.length} × load balancers let go`, ms: windows.length * drainMs },
    { name: `${turns} × pods move`, ms: turns * startAndStopMs },
    { name: `${emptied} × pods leave`, ms: emptied * Math.min(graceMs, usual.podStartMs) },
    { name: `${followed} × replacements turn healthy`, ms: followed * healthyMs },
    {
      name: 'last connections through old nodes end',
      ms: surges * Math.max(0, policy.waits.propagationMs + transitMs - drainMs),
    },
    { name: surges === 1 ? 'last machine ends' : `${surges} × machines end`, ms: surges * usual.terminationMs },
  ].filter((term) => term.ms > 0);
  const totalMs = terms.reduce((sum, term) => sum + term.ms, 0);
  const atOnce = surgeAtOnce(policy, nodes.length) ?? nodes.length;
  return { totalMs, terms, instanceMinutes: Math.round((atOnce * totalMs) / 60_000) };
}

function longestGraceSeconds({ facts, nodes }: EstimateQuestion): number {
  const index = indexOf(facts.cluster);
  return nodes
    .flatMap((node) => index.podsOn(node.name))
    .reduce((longest, pod) => Math.max(longest, pod.terminationGracePeriodSeconds), 0);
}
