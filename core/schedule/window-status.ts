/** Where a run stands with its upgrade windows, as last checked. */
export interface WindowStatus {
  /** A batch of nodes may start now. */
  readonly mayStart: boolean;
  /** In words: which window is open until when, or why nothing starts and when the next one opens. */
  readonly detail: string;
  /** Epoch ms at which the open window closes, or the next one opens; undefined when neither is known. */
  readonly until: number | undefined;
  /** Epoch ms of the check. */
  readonly checkedAt: number;
}
