import { NodeferryError } from '../../core/model/problem.ts';
import { readAwsError, toNodeferryError } from '../aws/errors.ts';

/** Errors for what was deleted during the reads (ELBv2 API reference, "Errors"); the next discovery finds what replaced it. */
const replacedNames = new Set([
  'ListenerNotFound',
  'ListenerNotFoundException',
  'LoadBalancerNotFound',
  'LoadBalancerNotFoundException',
  'TargetGroupNotFound',
  'TargetGroupNotFoundException',
]);

/** True for a NodeferryError which says that the requested resource does not exist. */
export function isNotThere(error: unknown): boolean {
  return error instanceof NodeferryError && replacedNames.has(readAwsError(error.cause).name);
}

/** Makes a call and translates the error that it throws. A target group that was deleted meanwhile is a Conflict, to be retried after discovery. */
export async function callElb<T>(action: string, subject: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const replaced = replacedNames.has(readAwsError(error).name);
    throw replaced
      ? toNodeferryError(
          error,
          { action, subject },
          'Conflict',
          'The load balancer changed meanwhile; it is discovered again.',
        )
      : toNodeferryError(error, { action, subject });
  }
}
