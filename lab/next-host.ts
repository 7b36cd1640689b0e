/** First and last host number that instances get; the first ten of a subnet belong to the cloud and the lab. */
const FIRST_HOST = 11;
const LAST_HOST = 250;

/**
 * The next free host number of a /24 after `last`, the one that was given out before. A freed one is given out again only when all others have been.
 * Undefined when all are in use.
 */
export function nextHost(last: number | undefined, isUsed: (host: number) => boolean): number | undefined {
  let host = last ?? FIRST_HOST - 1;
  for (let tried = 0; tried <= LAST_HOST - FIRST_HOST; tried += 1) {
    host = host >= LAST_HOST ? FIRST_HOST : host + 1;
    if (!isUsed(host)) return host;
  }
  return undefined;
}
