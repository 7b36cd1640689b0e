import type { Finding } from './finding.ts';
import type { WorkloadSurge } from './pod-surge-plan.ts';

/** How many findings of a rule, and how many workloads for which the same is said, a plan names one by one: it has to fit into one message. */
const maxTold = 50;

/**
 * The same findings, of each rule the first ones, and one that says how many more there are. Each of the thousand Jobs of a pool is an owner with a finding
 * of its own. Findings keep apart what decides about them: their severity, whether they can be accepted, and whether admission alone makes them.
 */
export function capFindings(findings: readonly Finding[]): readonly Finding[] {
  const keyOf = ({ rule, severity, denied, acceptableFor, leavesUnprotected }: Finding) =>
    [rule, severity, denied, acceptableFor !== undefined, leavesUnprotected].join('|');
  return cap(findings, keyOf, (first, others) => {
    const { acceptableFor, ...finding } = first;
    return {
      ...finding,
      subject: `${others.length.toLocaleString('en')} more`,
      message: `the same rule has found as much there; the first of them is ${first.subject}: ${first.message}`,
      ...(acceptableFor && { acceptableFor: [...new Set(others.flatMap((other) => other.acceptableFor ?? []))] }),
    };
  });
}

/** The same workloads: of those of which the same is said the first ones, and one line for all others. */
export function capPodSurge(workloads: readonly WorkloadSurge[]): readonly WorkloadSurge[] {
  const keyOf = ({ how, reason, denied, required }: WorkloadSurge) => [how, reason, denied, required].join('|');
  return cap(workloads, keyOf, (first, others) => ({
    ...first,
    workload: `${others.length.toLocaleString('en')} more`,
    pods: others.reduce((sum, { pods }) => sum + pods, 0),
  }));
}

/** Those that are alike, up to the limit, and in the place of the next one what stands for all others. */
function cap<T>(
  all: readonly T[],
  keyOf: (one: T) => string,
  combine: (first: T, others: readonly T[]) => T,
): readonly T[] {
  const groups = [...Map.groupBy(all, keyOf).values()].map((own) => own.slice(maxTold));
  const rest = new Map(
    groups.flatMap((others) => (others.length > 1 ? others.map((one) => [one, others] as const) : [])),
  );
  return all.flatMap((one) => {
    const others = rest.get(one);
    if (others === undefined) return [one];
    return one === others[0] ? [combine(one, others)] : [];
  });
}
