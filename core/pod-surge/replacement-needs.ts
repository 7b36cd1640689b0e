import { onceFor } from '../model/cluster-index.ts';
import { isFinished, type PodFacts } from '../model/pod.ts';
import type { Amounts, ContainerNeeds, LimitFacts, LimitRangeFacts } from '../model/quota.ts';
import type { ClusterFacts } from '../model/serving.ts';

const bare: readonly ContainerNeeds[] = [{ kind: 'app', requests: {}, limits: {} }];

const rangesByNamespace = onceFor((ranges: readonly LimitRangeFacts[]) =>
  Map.groupBy(ranges, ({ namespace }) => namespace),
);

/** Limit ranges of a namespace. */
export function rangesIn(namespace: string, { limitRanges = [] }: ClusterFacts): readonly LimitRangeFacts[] {
  return rangesByNamespace(limitRanges).get(namespace) ?? [];
}

/**
 * Requests and limits of the containers of another pod like this one: the same, and the defaults of limit ranges where it has none (kubernetes
 * plugin/pkg/admission/limitranger, mergePodResourceRequirements).
 */
export function needsOfReplacement(
  { needs = bare, namespace }: Pick<PodFacts, 'needs' | 'namespace'>,
  cluster: ClusterFacts,
): readonly ContainerNeeds[] {
  const defaults = rangesIn(namespace, cluster).flatMap(({ limits }) => limits.filter((one) => one.of === 'Container'));
  return defaults.reduce((filled, limit) => filled.map((container) => fillIn(container, limit)), needs);
}

function fillIn(container: ContainerNeeds, { defaultRequests, defaultLimits }: LimitFacts): ContainerNeeds {
  if (container.kind === 'overhead') return container;
  return {
    ...container,
    requests: { ...defaultRequests, ...container.requests },
    limits: { ...defaultLimits, ...container.limits },
  };
}

/**
 * What a pod uses of a quota, by the resource names of quotas (kubernetes pkg/quota/v1/evaluator/core/pods.go, PodUsageFunc). A finished pod
 * still counts as an object.
 */
export function usageOf(pod: Pick<PodFacts, 'phase'>, needs: readonly ContainerNeeds[] = bare): Amounts {
  if (isFinished(pod)) return { 'count/pods': 1 };
  const requests = total(needs, ({ requests: amounts }) => amounts);
  const limits = total(needs, ({ limits: amounts }) => amounts);
  return {
    'count/pods': 1,
    pods: 1,
    ...requests,
    ...prefix('requests', requests),
    ...prefix('limits', limits),
  };
}

/** The sum of all containers that run together, or the largest init container if that is more, plus the overhead (component-helpers/resource, PodRequests). */
function total(needs: readonly ContainerNeeds[], of: (container: ContainerNeeds) => Amounts): Amounts {
  const all = (kind: ContainerNeeds['kind']) => needs.filter((one) => one.kind === kind).map(of);
  let beside: Amounts = {};
  let first: Amounts = {};
  for (const container of needs) {
    if (container.kind === 'sidecar') beside = sum([beside, of(container)]);
    if (container.kind === 'init') first = maxOf(first, sum([beside, of(container)]));
  }
  return sum([maxOf(first, sum([...all('app'), beside])), ...all('overhead')]);
}

/** The sum of amounts, resource by resource. */
export function sum(amounts: readonly Amounts[]): Amounts {
  const sums: Record<string, number> = {};
  for (const one of amounts) for (const [name, amount] of Object.entries(one)) sums[name] = (sums[name] ?? 0) + amount;
  return sums;
}

function maxOf(one: Amounts, other: Amounts): Amounts {
  const names = [...Object.keys(one), ...Object.keys(other)];
  return Object.fromEntries(names.map((name) => [name, Math.max(one[name] ?? 0, other[name] ?? 0)]));
}

function prefix(what: string, amounts: Amounts): Amounts {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [`${what}.${name}`, amount]));
}
