import type { NodeRef } from '../core/model/node.ts';

/** The fields that identify a node, without the facts. */
export function nodeRefOf(node: NodeRef): NodeRef {
  return { name: node.name, uid: node.uid, instanceId: node.instanceId, zone: node.zone };
}
