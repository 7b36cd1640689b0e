import { NodeferryError, type Problem } from '../../../core/model/problem.ts';

/** The problem that a call is refused with. Throws when it is not refused, and what it fails with otherwise. */
export async function problemOf(call: Promise<unknown>): Promise<Problem> {
  try {
    await call;
  } catch (error) {
    if (error instanceof NodeferryError) return error.problem;
    throw error;
  }
  throw new Error('was not refused');
}

/** Code of the problem that the call is refused with. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  return (await problemOf(call)).code;
}
