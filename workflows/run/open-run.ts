import { workflowInfo } from '@temporalio/workflow';
import { openState } from '../../core/run/state.ts';
import { beginStatus } from '../../core/status/begin-status.ts';
import { renderDetails } from '../../core/status/render-details.ts';
import type { PoolUpgradeInput } from '../messages.ts';
import { showDetails } from './details.ts';
import { setHandlers } from './handlers.ts';
import { openHandles } from './handles.ts';
import type { Run } from './run.ts';

/** Opens a run: its state, and its handlers before anything else can happen. */
export function openRun(input: PoolUpgradeInput): Run {
  const { workflowId } = workflowInfo();
  const state = openState(beginStatus({ ...input, workflowId, startedAt: Date.now() }));
  const run: Run = { input, state, handles: openHandles() };
  setHandlers(run);
  showDetails(() => renderDetails(run.state.status));
  return run;
}
