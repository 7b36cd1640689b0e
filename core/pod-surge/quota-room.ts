import { indexOf, onceFor } from '../model/cluster-index.ts';
import { isActive, type PodFacts } from '../model/pod.ts';
import type { Amounts, ContainerNeeds, QuotaFacts, QuotaScope } from '../model/quota.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { needsOfReplacement, sum, usageOf } from './replacement-needs.ts';

/** Sums of fractional amounts are not exact. */
const tolerance = 1e-6;

/** What uses a quota: pods that stay, released pods, and terminating pods. */
interface Taken {
  readonly stays: Amounts;
  readonly released: Amounts;
  readonly leaves: Amounts;
}

/** The quota with the least room, and how many pods of one kind it allows in addition to those that stay. */
export interface Room {
  readonly quota: QuotaFacts;
  readonly pods: number;
  /** The resource that limits the number of pods. */
  readonly resource: string;
}

/** How many replacements of a pod may start before any pod leaves. Undefined when no quota counts it. */
export function roomFor(pod: PodFacts, cluster: ClusterFacts): Room | undefined {
  const needs = needsOfReplacement(pod, cluster);
  const usage = usageOf({ phase: 'Pending' }, needs);
  const rooms = quotasOf(pod, cluster).flatMap((quota) => {
    const { stays } = takenOf(cluster)(quota);
    return Object.entries(quota.hard).flatMap(([resource, hard]) => {
      const needed = usage[resource] ?? 0;
      if (needed <= 0) return [];
      const pods = Math.max(0, Math.floor((hard - (stays[resource] ?? 0)) / needed + tolerance));
      return [{ quota, resource, pods }];
    });
  });
  return rooms.toSorted((one, other) => one.pods - other.pods)[0];
}

/** Tracks, within one round, how much room the quotas have left. */
interface QuotaLedger {
  /** Takes room for the replacement of a pod. `later`: there will be room once terminating pods are gone. */
  take(pod: PodFacts): 'taken' | 'later' | 'no room';
}

/** Opens the ledger for one observation. */
export function openQuotaLedger(cluster: ClusterFacts): QuotaLedger {
  const added = new Map<string, Amounts>();
  return {
    take: (pod) => {
      const quotas = quotasOf(pod, cluster);
      if (quotas.length === 0) return 'taken';
      const usage = usageOf({ phase: 'Pending' }, needsOfReplacement(pod, cluster));
      const fits = (counted: readonly (keyof Taken)[]) =>
        quotas.every((quota) => {
          const taken = takenOf(cluster)(quota);
          const used = sum([...counted.map((kind) => taken[kind]), added.get(quota.key) ?? {}, usage]);
          return Object.entries(quota.hard).every(
            ([resource, hard]) => (usage[resource] ?? 0) <= 0 || (used[resource] ?? 0) <= hard + tolerance * hard,
          );
        });
      if (!fits(['stays', 'released', 'leaves'])) return fits(['stays', 'released']) ? 'later' : 'no room';
      for (const { key } of quotas) added.set(key, sum([added.get(key) ?? {}, usage]));
      return 'taken';
    },
  };
}

/** Quotas that count a pod. */
export function quotasOf(pod: PodFacts, { quotas = [] }: ClusterFacts): readonly QuotaFacts[] {
  if (quotas.length === 0) return [];
  return (quotasByNamespace(quotas).get(pod.namespace) ?? []).filter((quota) => counts(quota, pod));
}

const quotasByNamespace = onceFor((quotas: readonly QuotaFacts[]) => Map.groupBy(quotas, ({ namespace }) => namespace));

/** What existing pods use of a quota, and what missing replicas will use. These get the next room that becomes free. */
const takenOf = onceFor((cluster: ClusterFacts) =>
  onceFor((quota: QuotaFacts): Taken => {
    const index = indexOf(cluster);
    const pods = index.podsIn(quota.namespace).filter((pod) => counts(quota, pod));
    const kindOf = (pod: PodFacts): keyof Taken =>
      pod.terminating ? 'leaves' : pod.released === undefined ? 'stays' : 'released';
    const by = Map.groupBy(pods, kindOf);
    const all = (kind: keyof Taken) => (by.get(kind) ?? []).map((pod) => usageOf(pod, pod.needs));
    const missing = index.workloadsIn(quota.namespace).flatMap(({ key, kind, replicas }) => {
      const like = index.podsMadeBy(key).find((pod) => counts(quota, pod));
      if (kind === 'DaemonSet' || like === undefined) return [];
      const there = index.podsOfWorkload(key).filter(isActive).length;
      const usage = usageOf({ phase: 'Pending' }, needsOfReplacement(like, cluster));
      return Array.from({ length: Math.max(0, replicas - there) }, () => usage);
    });
    return { stays: sum([...all('stays'), ...missing]), released: sum(all('released')), leaves: sum(all('leaves')) };
  }),
);

function counts({ scopes = [] }: QuotaFacts, pod: PodFacts): boolean {
  return scopes.every((scope) => isInScope(pod, scope));
}

/** Pods of Deployments have no deadline, and so are NotTerminating. Other scopes are not supported (pods.go, podMatchesScopeFunc). */
function isInScope({ needs = [], priorityClass }: PodFacts, { name, operator, values }: QuotaScope): boolean {
  switch (name) {
    case 'NotTerminating':
      return true;
    case 'BestEffort':
      return !needs.some(requestsCompute);
    case 'NotBestEffort':
      return needs.some(requestsCompute);
    case 'PriorityClass':
      if (operator === 'Exists') return priorityClass !== undefined;
      if (operator === 'DoesNotExist') return priorityClass === undefined;
      return values.includes(priorityClass ?? '') === (operator === 'In');
    default:
      return false;
  }
}

function requestsCompute({ requests, limits }: ContainerNeeds): boolean {
  return ['cpu', 'memory'].some((name) => (requests[name] ?? limits[name] ?? 0) > 0);
}
