import type { NodeClaim } from './node.ts';

/** Above zero when `one` came after `other`; zero for the same attempt. Claims of different runs can't be compared. */
export function compareClaims(one: NodeClaim, other: NodeClaim): number {
  return one.round - other.round || one.step - other.step || one.attempt - other.attempt;
}

/** Whether `mine` may take the node that `current` has: it is nobody's, another run's, or an earlier attempt's of the same run. */
export function mayClaim(mine: NodeClaim, current: NodeClaim | undefined): boolean {
  return current?.run !== mine.run || compareClaims(mine, current) >= 0;
}

/** Whether the node is still `mine`. */
export function hasClaim(mine: NodeClaim, current: NodeClaim | undefined): boolean {
  return current?.run === mine.run && compareClaims(mine, current) === 0;
}
