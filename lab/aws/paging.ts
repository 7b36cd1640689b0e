import { AwsError } from './codec/errors.ts';

/** One page of a list and, if there is more, the token that asks for the next one. */
interface Page<T> {
  readonly items: readonly T[];
  readonly nextToken: string | undefined;
}

/** Returns one page of a list. Tokens are opaque, as AWS's are. */
export function pageOf<T>(all: readonly T[], token: string | undefined, size: number, badToken: string): Page<T> {
  const start = token === undefined || token === '' ? 0 : Number(Buffer.from(token, 'base64url').toString());
  if (!Number.isInteger(start) || start < 0) throw new AwsError(badToken, 'The token is not valid.');
  const end = start + size;
  return {
    items: all.slice(start, end),
    nextToken: end < all.length ? Buffer.from(String(end)).toString('base64url') : undefined,
  };
}
