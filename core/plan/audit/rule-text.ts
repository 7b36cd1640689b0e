import type { FindingSeverity } from '../finding.ts';

/** What a rule of the audit is about, in general. Its findings say the same of certain objects. */
export interface RuleText {
  /** Severities that its findings can have, the most severe first. */
  readonly severities: readonly FindingSeverity[];
  readonly title: string;
  /** What goes wrong without a fix. */
  readonly why: string;
  readonly fix: string;
}
