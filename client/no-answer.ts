import { NodeferryError } from '../core/model/problem.ts';
import { Interrupted } from './output/interrupt.ts';

/** True for calls that exceeded their deadline: queries and updates hang while no worker polls. */
export function isNoAnswer(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Interrupted) return false;
  return /DEADLINE_EXCEEDED|Timeout|timed out|no poller|CANCELLED/i.test(
    `${error.name} ${error.message} ${String(error.cause)}`,
  );
}

/** True where Temporal or its workers do not answer, as its cause has been explained: it may be over in a moment. */
export function isUnreachable(error: unknown): error is NodeferryError {
  return error instanceof NodeferryError && error.problem.code === 'TemporalUnreachable';
}

/** The error for a run without a worker at the moment. `done` says what happened to the request. */
export function noWorker(done: string, cause?: unknown): NodeferryError {
  return new NodeferryError(
    {
      code: 'TemporalUnreachable',
      message: `Temporal answers, but no nodeferry worker does${done === '' ? '' : `: ${done}`}.`,
      hint: 'Start a worker (nodeferry worker), or check its logs; the run continues as soon as one is back.',
    },
    { cause },
  );
}

/** The error for a server that has answered before. It may have received the request all the same. */
export function noTemporal(cause: unknown): NodeferryError {
  return new NodeferryError(
    {
      code: 'TemporalUnreachable',
      message: 'Temporal does not answer any more.',
      hint: 'Is the server still running, and the network to it? The run continues as soon as both are back.',
    },
    { cause },
  );
}
