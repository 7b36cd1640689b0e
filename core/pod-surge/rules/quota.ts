import type { PodFacts } from '../../model/pod.ts';
import type { Amounts, ContainerNeeds, LimitFacts } from '../../model/quota.ts';
import type { ClusterFacts } from '../../model/serving.ts';
import { listNames } from '../../text/format.ts';
import { quotasOf, roomFor } from '../quota-room.ts';
import { needsOfReplacement, rangesIn, sum } from '../replacement-needs.ts';
import type { PodSurgeRule } from './rule.ts';

/** The API server would reject a replacement that violates a quota or a limit range. This rule predicts its response. */
export const quota: PodSurgeRule = (pod, { cluster }) => {
  if ((cluster.quotas ?? []).length === 0 && (cluster.limitRanges ?? []).length === 0) return undefined;
  const refusal = findLimit(pod, cluster) ?? findUnset(pod, cluster);
  if (refusal !== undefined) return refusal;
  const room = roomFor(pod, cluster);
  if (room === undefined || room.pods >= 1) return undefined;
  const { key } = room.quota;
  return {
    reason: `${key} has no room for another pod in addition to the replicas: ${room.resource}`,
    hint: 'Raise the quota while the run lasts.',
  };
};

/** The limit range that the replacement would violate (plugin/pkg/admission/limitranger, PodLimitFunc). It may be newer than the pod. */
function findLimit(pod: PodFacts, cluster: ClusterFacts) {
  const all = needsOfReplacement(pod, cluster);
  const needs = all.filter(({ kind }) => kind === 'app');
  const [over] = all.flatMap((one) => findOver(one) ?? []);
  if (over !== undefined) {
    const keys = rangesIn(pod.namespace, cluster).map(({ key }) => key);
    return {
      reason: `${listNames(keys)} would give another pod like it a limit of ${over} below its request`,
      hint: `Set a limit of ${over} in the pod template.`,
    };
  }
  for (const { key, limits } of rangesIn(pod.namespace, cluster)) {
    for (const limit of limits) {
      const checked = limit.of === 'Container' ? needs : [whole(needs)];
      const what = checked.flatMap((one) => breaks(one, limit) ?? [])[0];
      if (what !== undefined)
        return {
          reason: `${key} refuses another pod like it: ${what}`,
          hint: `Change ${key}, or the requests and limits of the pod.`,
        };
    }
  }
  return undefined;
}

/** A resource whose limit is below its request. Such a pod is invalid (pkg/apis/core/validation, ValidateContainerResourceRequirements). */
function findOver({ requests, limits }: ContainerNeeds): string | undefined {
  return Object.keys(requests).find((name) => (requests[name] ?? 0) > (limits[name] ?? Number.POSITIVE_INFINITY));
}

/** The requests and limits of a pod as a whole. A resource that one container does not set is not set for the pod. */
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
      return `a ${each} must have at least ${least} of ${name}`;
  }
  for (const [name, most] of Object.entries(max)) {
    if ((limits[name] ?? Number.POSITIVE_INFINITY) > most || (requests[name] ?? 0) > most)
      return `a ${each} must have a limit of at most ${most} for ${name}`;
  }
  for (const [name, most] of Object.entries(ratio)) {
    const [request = 0, limit = 0] = [requests[name], limits[name]];
    if (request === 0 || limit === 0 || limit / request > most)
      return `the limit of ${name} of a ${each} must be at most ${most} times its request`;
  }
  return undefined;
}

/** Resources that every container must set if a quota limits them (pkg/quota/v1/evaluator/core/pods.go, validationSet). */
const requiredByQuota = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

function findUnset(pod: PodFacts, cluster: ClusterFacts) {
  const needs = needsOfReplacement(pod, cluster).filter(({ kind }) => kind !== 'overhead');
  for (const { key, hard } of quotasOf(pod, cluster)) {
    const unset = requiredByQuota.find((name) => hard[name] !== undefined && !needs.every((one) => sets(one, name)));
    if (unset !== undefined)
      return {
        reason: `${key} refuses another pod like it: each container must set ${unset}`,
        hint: 'Set it in the pod template, or create a LimitRange with a default.',
      };
  }
  return undefined;
}

function sets({ requests, limits }: ContainerNeeds, name: string): boolean {
  const [, kind, resource = name] = /^(requests|limits)\.(.+)$/.exec(name) ?? [];
  return (kind === 'limits' ? limits : requests)[resource] !== undefined;
}
