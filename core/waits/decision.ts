/** Answer of every wait: over or not, and why in words that a person can act on. */
export interface WaitDecision {
  readonly done: boolean;
  /** Who is waited for, what it needs and what it has; or what was seen when it is over. */
  readonly reason: string;
}
