import type { NodeRef } from '../core/model/node.ts';

/** The few words that name a node, without the facts. */
export function nodeRefOf(node: NodeRef): NodeRef {
  return { name: node.name, uid: node.uid, instanceId: node.instanceId, zone: node.zone };
}
