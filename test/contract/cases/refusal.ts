import { NodeferryError } from '../../../core/model/problem.ts';

/** Code of the problem that the call is refused with. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof NodeferryError) return error.problem.code;
    throw error;
  }
  return 'not refused';
}
