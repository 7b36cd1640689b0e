import { isFinished, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { ClusterQuestion } from '../plan/audit/rule.ts';
import type { Fix } from './fix.ts';
import { workloadOf } from './objects.ts';
import { type AuditedObject, formatObject } from './rule.ts';
import { runTwo } from './two-replicas.ts';

/** A part of the cluster's own machinery that is away while one node leaves. */
interface SinglePoint {
  readonly object: AuditedObject;
  /** How its pods are placed, in words. */
  readonly placed: string;
  readonly fix: Fix;
}

/** The workloads with these pods that have less than two ready pods on different nodes, and a pod on an audited node. */
export function findSinglePoints(
  { facts, nodes }: ClusterQuestion,
  isPart: (pod: PodFacts) => boolean,
): readonly SinglePoint[] {
  const names = new Set(nodes.map(({ name }) => name));
  const pods = facts.cluster.pods.filter((pod) => isPart(pod) && !isFinished(pod) && pod.ownerKind !== 'DaemonSet');
  const groups = Map.groupBy(pods, (pod) => formatObject(workloadOf(pod)));
  return [...groups.values()].flatMap((own) => {
    const [first] = own;
    const ready = own.filter((pod) => pod.ready && !pod.terminating);
    const on = new Set(ready.map(({ node }) => node));
    if (first === undefined || on.size >= 2 || !own.some(({ node }) => node !== undefined && names.has(node)))
      return [];
    return [{ object: workloadOf(first), placed: describe(ready), fix: fixFor(first, ready.length, facts.cluster) }];
  });
}

function describe(ready: readonly PodFacts[]): string {
  const [only] = ready;
  if (only === undefined) return 'no pod of it is ready';
  return ready.length === 1
    ? `its only ready pod is on ${only.node}`
    : `all ${ready.length} ready pods are on ${only.node}`;
}

function fixFor(pod: PodFacts, ready: number, cluster: ClusterFacts): Fix {
  if (ready === 0) return { text: 'Find out why its pods are not ready, before any node is replaced.' };
  if (ready > 1) return { text: 'Spread its pods over nodes, with anti-affinity by kubernetes.io/hostname.' };
  return runTwo(pod, cluster);
}
