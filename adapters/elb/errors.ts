import { NodeferryError } from '../../core/model/problem.ts';
import { readAwsError, toNodeferryError } from '../aws/errors.ts';

/** What disappeared while we looked (ELBv2 API reference, "Errors"): the next discovery finds what took its place. */
const replacedNames = new Set([
  'ListenerNotFound',
  'ListenerNotFoundException',
  'LoadBalancerNotFound',
  'LoadBalancerNotFoundException',
  'TargetGroupNotFound',
  'TargetGroupNotFoundException',
]);

/** True for an error of ours that says that what was asked for is not there. */
export function isNotThere(error: unknown): boolean {
  return error instanceof NodeferryError && replacedNames.has(readAwsError(error.cause).name);
}

/** Makes a call and translates what it throws: a group that disappeared is a Conflict, to be tried again after discovery. */
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
