import { randomUUID } from 'node:crypto';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { VirtualClock } from '../simulator/clock.ts';
import { signalIdHeader } from './awaits.ts';
import type { OpenEnds } from './open-ends.ts';

/** Real ms after which a question is asked again, should its workflow have moved on without a word. */
const trustedForMs = 10_000;

/**
 * Holds virtual time while a test asks something of a workflow, until the workflow has it. Queries change nothing: they only read, so
 * that the answer is no older than `maxBlinkMs`. What they answer follows from what the workflow has come to know: as long as it
 * tells nothing, the last answer is good.
 */
export function clientCalls(ends: OpenEnds, clock: VirtualClock): WorkflowClientInterceptor {
  const answers = new Map<string, { readonly told: number; readonly at: number; readonly answer: unknown }>();
  async function during<T>(what: string, call: () => Promise<T>, revoke: () => void = () => undefined): Promise<T> {
    const done = ends.beginCall(what);
    try {
      return await call();
    } catch (error) {
      revoke();
      throw error;
    } finally {
      done();
    }
  }
  return {
    startWithDetails: async (input, next) => {
      const { workflowId } = input.options;
      return await during(`the start of ${workflowId}`, async () => {
        const started = await next(input);
        ends.expect({ workflowId, runId: started.runId });
        return started;
      });
    },
    startUpdate: async (input, next) =>
      await during(`${input.updateName} of ${input.workflowExecution.workflowId}`, async () => await next(input)),
    query: async (input, next) => {
      const { workflowId } = input.workflowExecution;
      const question = JSON.stringify([input.workflowExecution, input.queryType, input.args]);
      const told = ends.toldBy(workflowId);
      const last = answers.get(question);
      if (last?.told === told && performance.now() < last.at + trustedForMs) return last.answer;
      const onlooker = clock.onlooker(`whoever asked ${workflowId}`);
      try {
        const answer = await next(input);
        answers.set(question, { told, at: performance.now(), answer });
        return answer;
      } finally {
        onlooker.leave();
      }
    },
    signal: async (input, next) => {
      const id = randomUUID();
      const headers = { ...input.headers, [signalIdHeader]: defaultPayloadConverter.toPayload(id) };
      const revoke = ends.signalSent(id, input.workflowExecution.workflowId ?? '');
      await during(`signal ${id}`, async () => await next({ ...input, headers }), revoke);
    },
    cancel: async (input, next) => {
      const { workflowId } = input.workflowExecution;
      const revoke = ends.cancelSent(workflowId ?? '');
      return await during(`the cancellation of ${workflowId}`, async () => await next(input), revoke);
    },
    terminate: async (input, next) => {
      const { workflowId } = input.workflowExecution;
      return await during(`the termination of ${workflowId}`, async () => {
        const answer = await next(input);
        ends.terminated(workflowId ?? '');
        return answer;
      });
    },
  };
}
