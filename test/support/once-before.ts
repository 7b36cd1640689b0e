/** A hook that acts once, when that step begins for the `nth` time (counted from 1). The step goes on when the act has ended. */
export function onceBefore(step: string, act: () => unknown, nth = 1): (begun: string) => Promise<void> {
  let seen = 0;
  return async (begun) => {
    if (begun !== step) return;
    seen += 1;
    if (seen === nth) await act();
  };
}
