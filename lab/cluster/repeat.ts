/**
 * Repeats work, with a pause of this many milliseconds before each time, until the returned function is called; what is in progress then still ends.
 * Work that fails is repeated like any other.
 */
export function repeatEvery(ms: number, work: () => Promise<void>): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout;
  const begin = (): void => {
    timer = setTimeout(() => void run(), ms);
  };
  const run = async (): Promise<void> => {
    await work().catch(() => undefined);
    if (!stopped) begin();
  };
  begin();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
