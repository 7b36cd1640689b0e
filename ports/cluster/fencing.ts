import type { FencingToken, NodeRef } from '../../core/model/node.ts';

/** Keeps an attempt that has been superseded from acting. Every call may be repeated. Throws NodeferryError. */
export interface Fencing {
  /** UID of the cluster; it lasts as long as the cluster. Undefined where these credentials do not allow it to be read. */
  findClusterUid(): Promise<string | undefined>;
  /** Records on the node which attempt acts on it; `superseded` when a later attempt of the same run already does. */
  fenceNode(node: NodeRef, fence: FencingToken): Promise<'done' | 'superseded' | 'gone'>;
  /** Removes the fencing token of the run: no attempt acts on the node any more. */
  unfenceNode(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /**
   * `succeeded` when the node is gone and another one has its name. @throws NodeferryError Superseded unless the node still has this fencing token, or
   * is gone
   */
  requireFence(node: NodeRef, fence: FencingToken): Promise<'held' | 'gone' | 'succeeded'>;
  /**
   * Makes sure that no later attempt of the run has fenced the lock, and records this token on it. @throws NodeferryError LockLost unless the run has
   * the lock; Superseded when a later attempt of it has fenced the lock
   */
  fenceLock(name: string, fence: FencingToken): Promise<void>;
  /**
   * @throws NodeferryError LockLost unless that holder has the lock, with whatever token. An expired lock belongs to its holder until another one
   * acquires it.
   */
  requireLock(name: string, holder: string): Promise<void>;
}
