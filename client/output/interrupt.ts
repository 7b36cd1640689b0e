/** Runs a command until it ends; Ctrl-C aborts its signal instead of ending the process. */
export async function untilInterrupted<T>(command: (interrupt: AbortSignal) => Promise<T>): Promise<T> {
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  // Not `once`: a live view's own handler ends the process when it is the only one left (signal-exit).
  process.on('SIGINT', onInterrupt);
  try {
    return await command(interrupt.signal);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

/** Ctrl-C while a call was on its way. The message says that what was asked for may have happened, and how to find out. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The answer to a call that changes something. Ctrl-C does not wait for it. @throws Interrupted with that message */
export async function answerUnlessInterrupted<T>(call: Promise<T>, message: string): Promise<T> {
  return await untilInterrupted(async (interrupt) => {
    const interrupted = new Promise<never>((_resolve, reject) => {
      interrupt.addEventListener('abort', () => reject(new Interrupted(message)), { once: true });
    });
    return await Promise.race([call, interrupted]);
  });
}

/** The result of some work, or undefined as soon as the signal is aborted. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  return await Promise.race([work, aborted]);
}

/** Waits for a time, ms, or until the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
