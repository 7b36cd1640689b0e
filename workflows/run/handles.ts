import { CancellationScope } from '@temporalio/workflow';
import type { TrafficCounts } from '../../core/status/traffic-counts.ts';

/** The workflow of a node that has not ended yet. */
export interface NodeHandle {
  readonly ended: Promise<void>;
  readonly notifyResumed: (resumes: number, told: { readonly isAborted: boolean }) => Promise<void>;
  /** Has the node come back in, if no pod has been told to leave yet. */
  readonly recall: (reason: string) => Promise<void>;
  /** It was told to put its node back. */
  readonly isCancelled: () => boolean;
}

/** What watches traffic and lock beside a run. */
export interface Monitor {
  /** Takes over what it had counted at a moment (epoch ms), as its heartbeat said. */
  readonly takeOver: (counts: TrafficCounts, seenAt: number) => void;
  /** Ends it and takes over the last counts. */
  readonly stop: () => Promise<void>;
}

/** What a run holds of things that go on, which can't be written down as its state can. */
export interface RunHandles {
  /** What abort cancels. */
  readonly forward: CancellationScope;
  /** Workflows of the nodes that are in progress, by name. */
  readonly nodes: Record<string, NodeHandle>;
  monitor: Monitor | undefined;
  /** A step is under way that may exclude a node. */
  isExcluding: boolean;
}

/** The handles of a run before its first step. */
export function openHandles(): RunHandles {
  return { forward: new CancellationScope(), nodes: {}, monitor: undefined, isExcluding: false };
}
