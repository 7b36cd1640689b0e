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
