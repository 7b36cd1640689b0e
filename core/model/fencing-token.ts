import type { FencingToken } from './node.ts';

/** Positive when `one` is later than `other`, zero for the same attempt. Tokens of different runs cannot be compared. */
function compareTokens(one: FencingToken, other: FencingToken): number {
  return one.round - other.round || one.step - other.step || one.attempt - other.attempt;
}

/** Whether `mine` may fence a node whose token is `current`: it has none, one of another run, or one of an earlier attempt of the same run. */
export function mayFence(mine: FencingToken, current: FencingToken | undefined): boolean {
  return current?.run !== mine.run || compareTokens(mine, current) >= 0;
}

/** Whether the node still has the fencing token `mine`. */
export function hasFence(mine: FencingToken, current: FencingToken | undefined): boolean {
  return current?.run === mine.run && compareTokens(mine, current) === 0;
}
