/**
 * Goes into the workflow bundle of tests: tells the virtual clock, after every activation, what the workflow waits for. It only
 * watches: what the product awaits is handed through as it is, so that its steps come in the same order as without.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import {
  CancellationScope,
  proxySinks,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInfo,
  type WorkflowInterceptors,
  type WorkflowOutboundCallsInterceptor,
  workflowInfo,
} from '@temporalio/workflow';
import { type Awaits, type AwaitsSinks, signalIdHeader } from './awaits.ts';

/** All that is known of one run. It comes from the run's history alone, so that a replay ends with the same. */
interface Known {
  root: CancellationScope | undefined;
  ended: boolean;
  /** Scopes in which pending activities were asked for, by sequence number, which is also their ID. */
  readonly activities: Map<number, CancellationScope>;
  readonly children: Map<number, { readonly workflowId: string; readonly scope: CancellationScope; started: boolean }>;
  readonly sent: Map<string, { readonly to: string; delivered: boolean }>;
  readonly handled: string[];
}

/** The interceptors of one run. */
export function interceptors(): WorkflowInterceptors {
  const { clock } = proxySinks<AwaitsSinks>();
  const known: Known = {
    root: undefined,
    ended: false,
    activities: new Map(),
    children: new Map(),
    sent: new Map(),
    handled: [],
  };
  return {
    inbound: [whatComesIn(known)],
    outbound: [whatGoesOut(known)],
    internals: [
      {
        concludeActivation: (input, next) => {
          if (!isQuestion(workflowInfo())) clock.awaits(awaitsOf(known));
          return next(input);
        },
      },
    ],
  };
}

/** Queries change nothing, so there is nothing to tell. The SDK calls sinks then too (@temporalio/worker 1.24, processSinkCalls). */
function isQuestion({ unsafe }: WorkflowInfo): boolean {
  return unsafe.isReplaying && !unsafe.isReplayingHistoryEvents;
}

function whatComesIn(known: Known): WorkflowInboundCallsInterceptor {
  return {
    execute: (input, next) => {
      known.root = CancellationScope.current();
      const result = next(input);
      whenSettled(result, () => {
        known.ended = true;
      });
      return result;
    },
    handleSignal: (input, next) => {
      const id = input.headers[signalIdHeader];
      if (id !== undefined) known.handled.push(defaultPayloadConverter.fromPayload<string>(id));
      return next(input);
    },
  };
}

function whatGoesOut({ activities, children, sent }: Known): WorkflowOutboundCallsInterceptor {
  return {
    scheduleActivity: (input, next) => {
      activities.set(input.seq, CancellationScope.current());
      const result = next(input);
      whenSettled(result, () => activities.delete(input.seq));
      return result;
    },
    startChildWorkflowExecution: (input, next) => {
      const child = { workflowId: input.options.workflowId, scope: CancellationScope.current(), started: false };
      children.set(input.seq, child);
      const result = next(input);
      result.then(
        ([start, end]) => {
          whenSettled(start, () => {
            child.started = true;
          });
          whenSettled(end, () => children.delete(input.seq));
        },
        () => children.delete(input.seq),
      );
      return result;
    },
    signalWorkflow: (input, next) => {
      const { target } = input;
      const to = target.type === 'child' ? target.childWorkflowId : (target.workflowExecution.workflowId ?? '');
      const id = `${workflowInfo().runId}/${input.seq}`;
      const signal = { to, delivered: false };
      sent.set(id, signal);
      const headers = { ...input.headers, [signalIdHeader]: defaultPayloadConverter.toPayload(id) };
      const result = next({ ...input, headers });
      result.then(
        () => {
          signal.delivered = true;
        },
        () => sent.delete(id),
      );
      return result;
    },
  };
}

function whenSettled(promise: Promise<unknown>, act: () => unknown): void {
  promise.then(act, act);
}

function awaitsOf({ root, ended, activities, children, sent, handled }: Known): Awaits {
  return {
    ended,
    cancelled: root?.consideredCancelled ?? false,
    activities: [...activities].map(([seq, scope]) => ({ id: String(seq), cancelled: scope.consideredCancelled })),
    children: [...children.values()].map(({ workflowId, started, scope }) => ({
      workflowId,
      started,
      cancelled: scope.consideredCancelled,
    })),
    sent: [...sent].map(([id, { to, delivered }]) => ({ id, to, delivered })),
    handled: [...handled],
  };
}
