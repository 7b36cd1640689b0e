import { indexOf } from '../../model/cluster-index.ts';
import type { PodFacts } from '../../model/pod.ts';
import { readyEndpoints } from '../../model/ready-endpoints.ts';
import type { ClusterQuestion } from './rule.ts';

/**
 * The pod that alone answers for a Service and is on a node to replace, so that nothing answers while it moves. Undefined where another answers too,
 * where its replacement starts first, and where it stays until its node ends.
 */
export function onlyAnswerOf(key: string, { facts, nodes, podSurge }: ClusterQuestion): PodFacts | undefined {
  const { cluster } = facts;
  const index = indexOf(cluster);
  const service = index.service(key);
  const [only, ...others] = service === undefined ? [] : readyEndpoints(service, cluster);
  if (only?.node === undefined || others.length > 0 || !nodes.some(({ name }) => name === only.node)) return undefined;
  const pod = index.podsByUid.get(only.podUid ?? '');
  const isSurged = podSurge.some(({ how, workload }) => how === 'pod surge' && workload === pod?.workload);
  return pod === undefined || pod.ownerKind === 'DaemonSet' || isSurged ? undefined : pod;
}
