import type { NodeRef } from '../../core/model/node.ts';

/**
 * What is done to nodes. Ownership marks name the run that made a change. Cordons, labels and taints that others set are left alone and reported.
 * Every call may be repeated. Throws NodeferryError.
 */
export interface NodeActions {
  /** `already` when somebody else had cordoned it: then we must not undo it. */
  cordon(node: NodeRef, run: string): Promise<'done' | 'already' | 'gone'>;
  uncordon(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Labels the node `node.kubernetes.io/exclude-from-external-load-balancers=true` and marks the label as ours. */
  exclude(node: NodeRef, run: string): Promise<'done' | 'already' | 'gone'>;
  include(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Removes every ownership mark of the run from the node, and leaves its cordon, label and taint as they are: they are the operator's from now on. */
  removeOwnershipMarks(node: NodeRef, run: string): Promise<'done' | 'gone'>;
  /** Adds taint `nodeferry.dev/disrupted:NoSchedule`, so that DaemonSets place no new pod there. */
  taintDisrupted(node: NodeRef, run: string): Promise<'done' | 'gone'>;
  untaintDisrupted(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Deletes the Node object with that uid; only after its instance is gone. */
  deleteNode(node: NodeRef): Promise<'done' | 'gone'>;
}
