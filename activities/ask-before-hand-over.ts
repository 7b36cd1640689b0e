import { claimsOn, sharedAmong, trialsOn } from '../core/hand-over/questions.ts';
import type { HandOverContext } from '../core/hand-over/rules/rule.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Cluster } from '../ports/cluster.ts';

/** What no look shows of pods that may be handed over. */
export type Asked = Required<Pick<HandOverContext, 'sharedClaims' | 'denials'>>;

/** Asks the API server: about the volumes of pods on these nodes, and whether it would let them go. Changes nothing. */
export async function askBeforeHandOver(
  cluster: Cluster,
  nodes: readonly Pick<NodeRef, 'name'>[],
  { facts, policy }: { readonly facts: ClusterFacts; readonly policy: Policy },
): Promise<Asked> {
  const claims = claimsOn(nodes, facts);
  const sharedClaims = sharedAmong(claims.length === 0 ? [] : await cluster.readClaims(claims));
  const denials = new Map<string, string>();
  for (const { workload, pod, from } of trialsOn(nodes, { cluster: facts, policy, sharedClaims })) {
    const denial = await cluster.tryRelease(pod, from);
    if (denial !== undefined) denials.set(workload, denial);
  }
  return { sharedClaims, denials };
}
