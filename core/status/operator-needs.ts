import { phaseOf } from '../steps/steps.ts';
import type { ApprovalRequest, OperatorAction, RunStatus } from './status.ts';

/** Why a run waits for an operator, in brief. Temporal keeps it with the run, so that it can be listed without a worker. Times are epoch ms. */
export interface OperatorNeeds {
  readonly paused?: Pick<OperatorAction, 'by' | 'reason' | 'at'>;
  readonly stalled?: { readonly code: string; readonly message: string };
  /** What is to be approved. */
  readonly approval?: Pick<ApprovalRequest, 'of' | 'since'> & { readonly until?: number };
}

/** Longest text that is kept, in characters. */
const maxText = 300;

/** Why a run waits for an operator; undefined when it does not, or is over. */
export function operatorNeeds(status: RunStatus): OperatorNeeds | undefined {
  const { phase, paused, stalled, approval } = status;
  const isOver = phaseOf(phase).isFinal === true;
  if (isOver || (paused === undefined && stalled === undefined && approval === undefined)) return undefined;
  return {
    ...(paused && { paused: { ...paused, reason: paused.reason.slice(0, maxText) } }),
    ...(stalled && { stalled: { code: stalled.code, message: stalled.message.slice(0, maxText) } }),
    ...(approval && briefly(approval)),
  };
}

function briefly({ of, since, until }: ApprovalRequest): Pick<OperatorNeeds, 'approval'> {
  return { approval: { of, since, ...(until === undefined ? {} : { until }) } };
}

/** The same in words: a part for each reason. */
export function explainNeeds({ paused, stalled, approval }: OperatorNeeds): string {
  const reasons = [
    stalled && `stalled: ${stalled.message} (${stalled.code})`,
    paused && `paused by ${paused.by}: ${paused.reason}`,
    approval && `waits for approval of ${approval.of}`,
  ];
  return reasons.filter((reason) => reason !== undefined).join('; ');
}
