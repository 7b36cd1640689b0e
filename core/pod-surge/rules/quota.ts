import type { PodFacts } from '../../model/pod.ts';
import type { Amounts, ContainerNeeds, LimitFacts } from '../../model/quota.ts';
import type { ClusterFacts } from '../../model/serving.ts';
import { listNames } from '../../text/format.ts';
import { quotasOf, roomFor } from '../quota-room.ts';
import { needsOfReplacement, rangesIn, sum } from '../replacement-needs.ts';
import type { PodSurgeRule } from './rule.ts';

/** A replacement that a quota or a limit range refuses would never come. What is said here the API server would say when it is created. */
export const quota: PodSurgeRule = (pod, { cluster }) => {
  if ((cluster.quotas ?? []).length === 0 && (cluster.limitRanges ?? []).length === 0) return undefined;
  const refusal = findLimit(pod, cluster) ?? findUnsaid(pod, cluster);
  if (refusal !== undefined) return refusal;
  const room = roomFor(pod, cluster);
  if (room === undefined || room.pods >= 1) return undefined;
  const { key } = room.quota;
  return {
    reason: `${key} has no room for another pod beside those that are wanted: ${room.resource}`,
    hint: 'Raise it for the time of the run.',
  };
};

/** What a limit range has against it (plugin/pkg/admission/limitranger, PodLimitFunc): it may be younger than the pod. */
function findLimit(pod: PodFacts, cluster: ClusterFacts) {
  const all = needsOfReplacement(pod, cluster);
  const needs = all.filter(({ kind }) => kind === 'app');
  const [over] = all.flatMap((one) => findOver(one) ?? []);
  if (over !== undefined) {
    const keys = rangesIn(pod.namespace, cluster).map(({ key }) => key);
    return {
      reason: `${listNames(keys)} would give another pod like it a limit of ${over} below its request`,
      hint: `Say a limit of ${over} in the pod template.`,
    };
  }
  for (const { key, limits } of rangesIn(pod.namespace, cluster)) {
    for (const limit of limits) {
      const asked = limit.of === 'Container' ? needs : [whole(needs)];
      const what = asked.flatMap((one) => breaks(one, limit) ?? [])[0];
      if (what !== undefined)
        return {
          reason: `${key} refuses another pod like it: ${what}`,
          hint: `Fix ${key}, or what the pod asks for.`,
        };
    }
  }
  return undefined;
}

/** A resource whose limit is below its request: no pod is valid with that (pkg/apis/core/validation, ValidateContainerResourceRequirements). */
function findOver({ requests, limits }: ContainerNeeds): string | undefined {
  return Object.keys(requests).find((name) => (requests[name] ?? 0) > (limits[name] ?? Number.POSITIVE_INFINITY));
}

/** All of a pod as one: a resource that one container leaves open is open for the pod. */
function whole(needs: readonly ContainerNeeds[]): Pick<ContainerNeeds, 'requests' | 'limits'> {
  const together = (all: readonly Amounts[]) =>
    Object.fromEntries(Object.entries(sum(all)).filter(([name]) => all.every((one) => one[name] !== undefined)));
  return { requests: together(needs.map((one) => one.requests)), limits: together(needs.map((one) => one.limits)) };
}

function breaks(
  { requests, limits }: Pick<ContainerNeeds, 'requests' | 'limits'>,
  { of, min, max, ratio }: LimitFacts,
): string | undefined {
  const each = of.toLowerCase();
  for (const [name, least] of Object.entries(min)) {
    if ((requests[name] ?? 0) < least || (limits[name] ?? least) < least)
      return `a ${each} must have ${least} of ${name} at least`;
  }
  for (const [name, most] of Object.entries(max)) {
    if ((limits[name] ?? Number.POSITIVE_INFINITY) > most || (requests[name] ?? 0) > most)
      return `a ${each} must have a limit of ${name}, ${most} at most`;
  }
  for (const [name, most] of Object.entries(ratio)) {
    const [request = 0, limit = 0] = [requests[name], limits[name]];
    if (request === 0 || limit === 0 || limit / request > most)
      return `the limit of ${name} of a ${each} must be its request ${most} times at most`;
  }
  return undefined;
}

/** Names that a quota may use, and what every container has to say then (pkg/quota/v1/evaluator/core/pods.go, validationSet). */
const mustSay = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

function findUnsaid(pod: PodFacts, cluster: ClusterFacts) {
  const needs = needsOfReplacement(pod, cluster).filter(({ kind }) => kind !== 'overhead');
  for (const { key, hard } of quotasOf(pod, cluster)) {
    const unsaid = mustSay.find((name) => hard[name] !== undefined && !needs.every((one) => says(one, name)));
    if (unsaid !== undefined)
      return {
        reason: `${key} refuses another pod like it: each container must say ${unsaid}`,
        hint: 'Say it in the pod template, or have a LimitRange fill it in.',
      };
  }
  return undefined;
}

function says({ requests, limits }: ContainerNeeds, name: string): boolean {
  const [, kind, resource = name] = /^(requests|limits)\.(.+)$/.exec(name) ?? [];
  return (kind === 'limits' ? limits : requests)[resource] !== undefined;
}
