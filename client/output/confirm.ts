import { createInterface } from 'node:readline/promises';
import { NodeferryError } from '../../core/model/problem.ts';
import { Interrupted } from './interrupt.ts';

/**
 * Makes sure that somebody can be asked: input and messages are a terminal. `what` is what was refused, `hint` how to go on without one.
 * @throws NodeferryError InvalidArgument
 */
export function requireTerminal(what: string, hint: string): void {
  if (process.stdin.isTTY && process.stderr.isTTY) return;
  throw new NodeferryError({
    code: 'InvalidArgument',
    message: `${what}: there is no terminal on which to ask.`,
    hint,
  });
}

/** Asks a question on the terminal. Whatever is not a yes is a no, and so is the end of the input. @throws Interrupted on Ctrl-C */
export async function confirm(question: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<string>((resolve) => prompt.once('close', () => resolve('')));
    const interrupted = new Promise<never>((_resolve, reject) => {
      prompt.once('SIGINT', () => reject(new Interrupted('Interrupted: nothing was started or changed.')));
    });
    const answer = await Promise.race([prompt.question(`${question} [y/N] `), ended, interrupted]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}
