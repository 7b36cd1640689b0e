import { CancellationScope } from '@temporalio/workflow';
import type { Asked } from '../../core/run/events.ts';
import type { TrafficCounts } from '../../core/status/traffic-counts.ts';
import type { SkipAnswer } from '../node-messages.ts';

/** The workflow of a node that has not ended yet. */
interface NodeHandle {
  readonly ended: Promise<void>;
  readonly notifyResumed: (resumes: number, options: { readonly isAborted: boolean }) => Promise<void>;
  /** Has the node restored, unless a pod has already been told to leave. */
  readonly recall: (reason: string) => Promise<void>;
  /** Asks whether the node can still be restored for good, and has it restored if so. */
  readonly skip: (reason: string) => Promise<void>;
  /** Tells it that a Service may lose connections. */
  readonly accept: (service: string) => Promise<void>;
  /** The workflow was cancelled, so it restores its node. */
  readonly isCancelled: () => boolean;
}

/** Watches traffic and the lock while a run goes on. */
export interface Monitor {
  /** Merges the counts of a moment (epoch ms) into those of the run. */
  readonly mergeCounts: (counts: TrafficCounts, seenAt: number) => void;
  /** Stops watching and merges the last counts. */
  readonly stop: () => Promise<void>;
}

/** A request to skip a node, and what its workflow answered. */
export interface SkipRequest extends Asked {
  readonly node: string;
  answer: SkipAnswer | undefined;
}

/** Live objects of a run, which can't be part of its plain state. */
export interface RunHandles {
  /** The scope that an abort cancels. */
  readonly forward: CancellationScope;
  /** Workflows of the nodes that are in progress, by name. */
  readonly nodes: Record<string, NodeHandle>;
  /** Requests to skip a node that its workflow has not answered yet, by name. */
  readonly skips: Record<string, SkipRequest>;
  monitor: Monitor | undefined;
  /** A step is running that a pause cancels, because it may exclude a node or release pods. */
  hasPausableStep: boolean;
}

/** The handles of a run before its first step. */
export function openHandles(): RunHandles {
  return { forward: new CancellationScope(), nodes: {}, skips: {}, monitor: undefined, hasPausableStep: false };
}
