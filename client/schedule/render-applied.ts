import type { PolicyDifference } from '../../core/policy/policy-difference.ts';
import type { Style } from '../output/style.ts';
import { fitWidth } from '../view/wrap.ts';

/** What `schedule apply` does. */
export type ScheduleChange = 'create' | 'update' | 'none';

const sentences = {
  create: ['created', 'would be created'],
  update: ['updated', 'would be updated'],
  none: ['unchanged', 'unchanged'],
} as const satisfies Record<ScheduleChange, readonly [string, string]>;

/** What became of a schedule, or would with `dryRun`: a sentence, and one line for each field that differs. */
export interface AppliedSchedule {
  /** `cluster/pool`. */
  readonly name: string;
  readonly change: ScheduleChange;
  readonly dryRun: boolean;
  readonly differences: readonly PolicyDifference[];
}

/** Draws what became of a schedule. */
export function renderApplied({ name, change, dryRun, differences }: AppliedSchedule, style: Style): string[] {
  return fitWidth(
    [`${name}: ${sentences[change][dryRun ? 1 : 0]}`, ...differences.map((one) => formatDifference(one))],
    style,
  );
}

function formatDifference({ field, from, to }: PolicyDifference): string {
  if (from === undefined) return `  + ${field}: ${to ?? ''}`;
  return to === undefined ? `  - ${field}: ${from}` : `  ~ ${field}: ${from} → ${to}`;
}
