import type { Traffic } from '../lab/traffic/traffic.ts';

/** Counts losses second by second. */
interface LossRecord {
  /** Requests that were lost or reset in each second since the start: in the second in which the client knew. */
  stop(): readonly number[];
}

/** Begins to count. */
export function recordLosses(traffic: readonly Traffic[]): LossRecord {
  const totals: number[] = [];
  const count = () =>
    totals.push(traffic.map((one) => one.truth()).reduce((sum, { lost, cut }) => sum + lost + cut, 0));
  count();
  // A demo that is interrupted ends without stopping this.
  const timer = setInterval(count, 1000).unref();
  return {
    stop: () => {
      clearInterval(timer);
      count();
      return totals.slice(1).map((total, index) => total - (totals[index] ?? 0));
    },
  };
}
