/** Repeats work with pauses of this many milliseconds until the returned function is called; work that fails is repeated like any other. */
export function repeatEvery(ms: number, work: () => Promise<void>): () => void {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(work).catch(() => undefined);
  }, ms);
  return () => clearInterval(timer);
}
