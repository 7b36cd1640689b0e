import stringWidth from 'string-width';
import type { Tone } from '../../core/status/line.ts';
import type { OperatorNeeds } from '../../core/status/operator-needs.ts';
import { formatDateTime, formatLongDuration } from '../../core/text/format.ts';
import type { Style } from '../output/style.ts';
import { renderTable } from './table.ts';

/** A run as Temporal itself knows it, and why it waits for an operator. Times are epoch ms. */
export interface ListedRun extends OperatorNeeds {
  readonly cluster: string;
  readonly pool: string;
  /** Name of the run; absent if an older version has started it, and then `workflowRunId` names it. */
  readonly run?: string;
  /** Its phase; `paused`, `stalled`, `waiting for approval`; or how it ended: `completed`, `aborted`, `rolled-back`, `failed`, `terminated`, `timed out`, `cancelled`. */
  readonly state: string;
  /** The last phase that it has published. */
  readonly phase: string;
  readonly startedAt: number;
  /** Absent while it is under way. */
  readonly closedAt?: number;
  readonly newPool?: string;
  /** Kubernetes version of the new nodes, if the policy names one. */
  readonly version?: string;
  readonly workflowId: string;
  readonly workflowRunId: string;
}

/** States in which a run needs somebody, or has ended badly. */
const badStates: readonly string[] = [
  'stalled',
  'paused',
  'waiting for approval',
  'failed',
  'terminated',
  'timed out',
  'cancelled',
];

function toneOf(state: string): Tone {
  if (badStates.includes(state)) return 'bad';
  if (state === 'aborted' || state === 'rolled-back' || state === 'rolling-back') return 'warn';
  return state === 'completed' ? 'good' : 'busy';
}

/**
 * Draws runs in columns. Where they do not all fit, one is left out: the ID of the runs, because a run that is under way is named by its pool
 * alone; or their target, if some of them have ended and can be named by their ID only. `now` is epoch ms.
 */
export function renderRunList(runs: readonly ListedRun[], now: number, style: Style): string[] {
  const rows = [columns, ...runs.map((run) => cellsOf(run, now, style))];
  const whole = renderTable(rows);
  const fits = style.width === undefined || whole.every((line) => stringWidth(line) <= (style.width ?? 0));
  const leftOut = columns.indexOf(runs.some(({ closedAt }) => closedAt !== undefined) ? 'TARGET' : 'RUN');
  const [head = '', ...table] = fits
    ? whole
    : renderTable(
        rows.map((row) => row.toSpliced(leftOut, 1)),
        style.width,
      );
  return [style.paint('dim', head), ...table];
}

const columns = ['CLUSTER/POOL', 'RUN', 'STATE', 'STARTED', 'ELAPSED', 'TARGET'] as const;

function cellsOf({ cluster, pool, run, ...one }: ListedRun, now: number, style: Style): readonly string[] {
  const { state, startedAt, closedAt } = one;
  return [
    `${cluster}/${pool}`,
    run ?? one.workflowRunId,
    style.paint(toneOf(state), explainState(one)),
    formatMoment(startedAt, now),
    formatLongDuration((closedAt ?? now) - startedAt),
    targetOf(one),
  ];
}

/** The state, with who has paused the run, or what is to be approved. */
function explainState({ state, paused, approval }: Pick<ListedRun, 'state' | 'paused' | 'approval'>): string {
  if (state === 'paused' && paused !== undefined) return `paused by ${paused.by}`;
  if (state === 'waiting for approval' && approval !== undefined) return `${state} (${approval.of})`;
  return state.replaceAll('-', ' ');
}

/** The new pool, and its version unless its name says it already. */
function targetOf({ newPool = '-', version }: Pick<ListedRun, 'newPool' | 'version'>): string {
  if (newPool === '') return 'drain';
  return version === undefined || newPool.includes(version.replace('.', '-')) ? newPool : `${newPool} (${version})`;
}

/** `Jan 2 03:04` in the year of `now`, otherwise the day: `2025-12-31`. UTC. */
function formatMoment(at: number, now: number): string {
  const date = new Date(at);
  if (date.getUTCFullYear() !== new Date(now).getUTCFullYear()) return date.toISOString().slice(0, 10);
  return formatDateTime(at);
}
