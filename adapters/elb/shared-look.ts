/**
 * Shares looks at the same thing among callers without ever giving anybody an old one: a caller joins a request only while
 * that waits for its turn. One that is under way was sent before the caller asked, so it is not fresh enough.
 */
export function shareWaitingLooks<T>(
  turn: () => Promise<void>,
  look: (key: string) => Promise<T>,
): (key: string) => Promise<T> {
  const waiting = new Map<string, Promise<T>>();

  async function takeTurnAndLook(key: string): Promise<T> {
    try {
      await turn();
    } finally {
      waiting.delete(key);
    }
    return look(key);
  }

  return (key) => {
    const joined = waiting.get(key);
    if (joined !== undefined) return joined;
    const result = takeTurnAndLook(key);
    waiting.set(key, result);
    return result;
  };
}
