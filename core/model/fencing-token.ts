import type { FencingToken } from './node.ts';

/** Above zero when `one` came after `other`; zero for the same attempt. Claims of different runs can't be compared. */
function compareTokens(one: FencingToken, other: FencingToken): number {
  return one.round - other.round || one.step - other.step || one.attempt - other.attempt;
}

/** Whether `mine` may take the node that `current` has: it is nobody's, another run's, or an earlier attempt's of the same run. */
export function mayFence(mine: FencingToken, current: FencingToken | undefined): boolean {
  return current?.run !== mine.run || compareTokens(mine, current) >= 0;
}

/** Whether the node is still `mine`. */
export function hasFence(mine: FencingToken, current: FencingToken | undefined): boolean {
  return current?.run === mine.run && compareTokens(mine, current) === 0;
}
