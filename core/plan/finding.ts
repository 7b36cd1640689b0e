/** How bad a finding is: a blocker refuses the run, an error needs attention, a warning and an info are told. */
export type FindingSeverity = 'blocker' | 'error' | 'warning' | 'info';

/** Something that preflight noticed. */
export interface Finding {
  /** Stable rule id, e.g. `SVC-001`. */
  readonly rule: string;
  readonly severity: FindingSeverity;
  /** What it is about: `service default/web`, `pod default/web-1`, `node ip-…`. */
  readonly subject: string;
  readonly message: string;
  readonly hint: string;
  /** Connections or requests can be lost here in spite of everything; the report repeats it. */
  readonly leavesUnprotected?: boolean;
}
