/** The severities of findings, the most severe first. */
export const severities = ['blocker', 'error', 'warning', 'info'] as const;

/** Severity of a finding: a blocker refuses the run, an error is worth fixing before the run, a warning and an info are only reported. */
export type FindingSeverity = (typeof severities)[number];

/** Something that preflight found. */
export interface Finding {
  /** Stable rule id, e.g. `SVC-001`. */
  readonly rule: string;
  readonly severity: FindingSeverity;
  /** What it is about: `service default/web`, `pod default/web-1`, `node ip-…`. */
  readonly subject: string;
  readonly message: string;
  readonly hint: string;
  /** Connections or requests can be lost here in spite of all protections. The report repeats it. */
  readonly leavesUnprotected?: boolean;
  /** Of a blocker: Services (`namespace/name`) that may lose connections if its rule is accepted, and the run goes on then. Absent where it could not. */
  readonly acceptableFor?: readonly string[];
  /** Found only because admission has denied a dry run. Whoever could not try it does not find it. */
  readonly denied?: true;
  /** Why the operator accepts it; absent where it is not accepted. */
  readonly accepted?: string;
}
