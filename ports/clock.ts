/** Time for activities; the simulator has its own. */
export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
