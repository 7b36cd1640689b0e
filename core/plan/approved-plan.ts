import { describeMinServing } from '../guard/min-serving.ts';
import type { Problem } from '../model/problem.ts';
import { count, formatDuration, listNames } from '../text/format.ts';
import type { Finding } from './finding.ts';
import type { WorkloadSurge } from './pod-surge-plan.ts';
import type { PoolPlan, ServicePlan } from './pool-plan.ts';

/** What somebody has read in a plan and relies on. A run that was started from a saved plan is refused when any of it has changed since. */
export interface ApprovedPlan {
  readonly pool: string;
  readonly newPool: string;
  readonly fromVersion: string;
  readonly toVersion: string;
  readonly surge: number;
  /** Names of the nodes to replace, by UID. */
  readonly nodes: Readonly<Record<string, string>>;
  /** How each Service is protected, in words, by its key. */
  readonly services: Readonly<Record<string, string>>;
  /** How the pods of each workload leave, by its key. */
  readonly podSurge: Readonly<Record<string, string>>;
  /** What was found, as rule and subject, but for mere information: it depends on the rights of whoever asks, too. */
  readonly findings: readonly string[];
  /** Whoever made the plan could not try what admission denies, and was told so. Absent where that was tried. */
  readonly untried?: true;
  /** The same fields as they would be if admission had denied nothing. Absent where it has not. */
  readonly undenied?: Pick<ApprovedPlan, 'services' | 'podSurge' | 'findings'>;
}

/** What is to be approved in a plan. */
export function approvedPart(plan: PoolPlan): ApprovedPlan {
  const { oldPool, newPool, fromVersion, toVersion, surge, nodes, services, podSurge = [], findings } = plan;
  const isDenied = [
    ...services.map(({ removalDenied }) => removalDenied),
    ...[...podSurge, ...findings].map(({ denied }) => denied),
  ].includes(true);
  return {
    pool: oldPool.name,
    newPool: newPool.name,
    fromVersion,
    toVersion,
    surge,
    nodes: Object.fromEntries(nodes.map(({ uid, name }) => [uid, name])),
    ...describeAll(services, podSurge, findings),
    ...(findings.some(({ rule }) => rule === 'INF-024') ? { untried: true } : {}),
    ...(isDenied
      ? {
          undenied: describeAll(
            services.map(undeniedService),
            podSurge.map(undeniedSurge),
            findings.filter(({ denied }) => denied !== true),
          ),
        }
      : {}),
  };
}

function undeniedService(service: ServicePlan): ServicePlan {
  return service.removalDenied === true ? { ...service, removeEndpoints: true } : service;
}

function undeniedSurge(surge: WorkloadSurge): WorkloadSurge {
  return surge.denied === true ? { ...surge, how: 'pod surge' } : surge;
}

function describeAll(
  services: readonly ServicePlan[],
  podSurge: readonly WorkloadSurge[],
  findings: readonly Finding[],
): Pick<ApprovedPlan, 'services' | 'podSurge' | 'findings'> {
  return {
    services: Object.fromEntries(services.map((service) => [service.service, describeProtection(service)])),
    podSurge: Object.fromEntries(podSurge.map(({ workload, how }) => [workload, how])),
    findings: findings
      .filter(({ severity }) => severity !== 'info')
      .map(({ rule, subject }) => `${rule} ${subject}`)
      .toSorted(),
  };
}

function describeProtection(service: ServicePlan): string {
  const { externalTrafficPolicy, minServing, connectionDrainMs, forwardedMs, removeEndpoints } = service;
  return [
    `policy ${externalTrafficPolicy}`,
    `must keep ${describeMinServing(minServing)}`,
    `connection drain ${formatDuration(connectionDrainMs)}`,
    ...(forwardedMs > 0 ? [`forwarded connections ${formatDuration(forwardedMs)}`] : []),
    removeEndpoints ? 'endpoints removed before eviction' : 'endpoints kept until eviction',
  ].join('; ');
}

/**
 * What differs between an approved plan and one that was made now, in words; empty when nothing does. What admission denies differs only from a plan that
 * tried it: whoever could not has approved it as unknown, and would find the same again.
 */
export function findChanges(approved: ApprovedPlan, found: ApprovedPlan): readonly string[] {
  const now = approved.untried === true ? { ...found, ...found.undenied } : found;
  return [
    ...findOtherPlan(approved, now),
    ...changedFields(['surge'], approved, now),
    ...changedKeys('node', approved.nodes, now.nodes),
    ...changedValues('Service', approved.services, now.services),
    ...changedValues('workload', approved.podSurge, now.podSurge),
    ...listed('new finding', without(now.findings, approved.findings)),
    ...listed('no longer found', without(approved.findings, now.findings)),
  ];
}

/** Why one of two plans would upgrade something else than the other, in words; empty when both upgrade the same pool between the same versions. */
export function findOtherPlan(approved: ApprovedPlan, now: ApprovedPlan): readonly string[] {
  return changedFields(['pool', 'newPool', 'fromVersion', 'toVersion'], approved, now);
}

/** The problem of a run whose plan is not the approved one any more. */
export function planOutdated(changes: readonly string[]): Problem {
  return {
    code: 'PlanOutdated',
    message: `the plan no longer fits; nothing was changed: ${changes.join('; ')}`,
    hint: 'Make a new plan, and review it: nodeferry plan -f POLICY --out plan.json',
  };
}

const labels = {
  pool: 'the pool',
  newPool: 'the new pool',
  fromVersion: 'the version of the pool',
  toVersion: 'the new version',
  surge: 'the number of new nodes',
} as const;

function changedFields(
  fields: readonly (keyof typeof labels)[],
  before: ApprovedPlan,
  after: ApprovedPlan,
): readonly string[] {
  return fields.flatMap((field) =>
    before[field] === after[field] ? [] : [`${labels[field]} was ${before[field]} and is ${after[field]}`],
  );
}

type Named = Readonly<Record<string, string>>;

function changedKeys(noun: string, before: Named, after: Named): readonly string[] {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const joined = Object.keys(after).filter((key) => !Object.hasOwn(before, key));
  return [
    ...(gone.length === 0
      ? []
      : [`${count(gone.length, noun)} gone: ${listNames(gone.map((key) => before[key] ?? key))}`]),
    ...(joined.length === 0
      ? []
      : [`${count(joined.length, noun)} joined: ${listNames(joined.map((key) => after[key] ?? key))}`]),
  ];
}

function changedValues(noun: string, before: Named, after: Named): readonly string[] {
  const both = Object.keys(before).filter((key) => Object.hasOwn(after, key) && before[key] !== after[key]);
  return [
    ...listed(`${noun} gone`, without(Object.keys(before), Object.keys(after))),
    ...listed(`${noun} new`, without(Object.keys(after), Object.keys(before))),
    ...both.map((key) => `${noun} ${key} was: ${before[key]}; is: ${after[key]}`),
  ];
}

function listed(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${listNames(names, 10)}`];
}

function without(names: readonly string[], others: readonly string[]): readonly string[] {
  return names.filter((name) => !others.includes(name));
}
