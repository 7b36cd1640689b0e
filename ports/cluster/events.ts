import type { NodeRef } from '../../core/model/node.ts';

/** An entry for `kubectl describe node`. */
export interface NodeEvent {
  readonly node: NodeRef;
  readonly reason: string;
  readonly message: string;
  readonly type: 'Normal' | 'Warning';
}

/** What readers of `kubectl describe node` see. Every call may be repeated. Throws NodeferryError. */
export interface Events {
  recordEvent(event: NodeEvent): Promise<void>;
}
