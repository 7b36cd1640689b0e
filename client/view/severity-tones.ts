import type { FindingSeverity } from '../../core/plan/finding.ts';
import type { Tone } from '../../core/status/line.ts';

/** The tone of each severity, in plans and audits. */
export const toneOfSeverity = { blocker: 'bad', error: 'bad', warning: 'warn', info: 'dim' } as const satisfies Record<
  FindingSeverity,
  Tone
>;
