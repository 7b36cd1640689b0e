/** The decision of a wait: whether it is over, and a reason that an operator can act on. */
export interface WaitDecision {
  readonly done: boolean;
  /** What the run waits for, what is needed and what is there. When the wait is over, what was observed. */
  readonly reason: string;
}
