import { createInterface } from 'node:readline/promises';
import { NodeferryError } from '../core/model/problem.ts';

/** Whether somebody can be asked: input and messages are a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on the terminal. Only `y` and `yes` are a yes; Ctrl-C and the end of the input are a no. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  terminal.on('close', () => closed.abort());
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal: closed.signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return false;
    throw error;
  } finally {
    terminal.close();
  }
}

/** @throws NodeferryError InvalidArgument that says how to go on without a terminal */
export function requireTerminal(what: string): void {
  if (canAsk()) return;
  throw new NodeferryError({
    code: 'InvalidArgument',
    message: `${what} asks before it starts, and there is no terminal to ask on. Nothing was started.`,
    hint: 'Add --yes, or start from a plan that was saved and reviewed: nodeferry plan -f POLICY --out plan.json',
  });
}
