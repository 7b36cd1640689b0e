import type { NodeRef } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import { identify, type PodAction } from './actions.ts';

/**
 * Decides what becomes of the pods that a run has taken out of their endpoints when their node is put back. A pod that still has its
 * controller gets its labels back. One that its controller has let go of has a replacement already: it is finished, because a
 * pod too many would only make the controller remove one.
 */
export function decidePutBack(node: NodeRef, pods: readonly PodFacts[], run: string): readonly PodAction[] {
  return pods
    .filter((pod) => pod.node === node.name && pod.unlisted?.by === run && !pod.terminating)
    .map((pod) => ({ kind: pod.ownerKind === 'none' ? 'evict' : 'relist', pod: identify(pod) }));
}
