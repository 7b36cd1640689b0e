/** The phase of a run, its time, and its end. */
import { unprotected } from '../plan/refusal.ts';
import { phaseOf } from '../steps/steps.ts';
import type { EventOf } from './events.ts';
import { trackNodes } from './nodes.ts';
import { withProblems } from './stalled.ts';
import type { RunState } from './state.ts';

/** Whether the run is over; from then on nothing changes it. */
export function isFinished({ status }: RunState): boolean {
  return phaseOf(status.phase).isFinal === true;
}

/** Enters a phase. */
export function setPhase(state: RunState, { phase }: Pick<EventOf<'setPhase'>, 'phase'>): RunState {
  return { ...state, status: { ...state.status, phase, waiting: undefined } };
}

/** What the pool as a whole waits for, from now on. */
export function setWaiting(state: RunState, { waiting }: EventOf<'setWaiting'>): RunState {
  const since = state.now;
  return { ...state, status: { ...state.status, waiting: waiting === undefined ? undefined : { ...waiting, since } } };
}

/** Records how a check of the upgrade windows ended. */
export function recordWindow(state: RunState, { window }: EventOf<'recordWindow'>): RunState {
  return { ...state, status: { ...state.status, window } };
}

/** Records the time that a step returned. It never goes back. */
export function recordTime(state: RunState, { at, clock }: Pick<EventOf<'recordTime'>, 'at' | 'clock'>): RunState {
  return { ...state, now: Math.max(state.now, at), heardAt: clock };
}

/** The next step of the pool has a higher number than any before it. */
export function advanceSequence(state: RunState, { clock }: EventOf<'advanceSequence'>): RunState {
  return { ...state, sequence: Math.max(state.sequence + 1, clock) };
}

/**
 * Records the plan of preflight. Its time is the first that a step returns, so it is taken even if the workflow's clock is ahead of it. A second
 * plan, of a run that has waited before it changed anything, takes the place of the first.
 */
export function recordPlan(state: RunState, { plan, since, at, clock }: EventOf<'recordPlan'>): RunState {
  const { baselines, fromVersion, toVersion, findings } = plan;
  const startedAt = state.plan === undefined ? since : state.status.startedAt;
  const status = { ...state.status, startedAt, fromVersion, toVersion, nodes: [] };
  const planned = {
    ...state,
    positions: {},
    latest: {},
    plan,
    baselines,
    now: at,
    heardAt: clock,
    unprotected: [...unprotected(findings)],
    status,
  };
  return trackNodes(planned, plan);
}

/** The run is over. Problems of stalled nodes no longer count; `problem` is why the run has failed. */
export function finishRun(state: RunState, { outcome, at, problem }: EventOf<'finishRun'>): RunState {
  const finished = setPhase(state, { phase: outcome });
  const ended = withProblems(finished, { problems: problem === undefined ? [] : [problem], stalledNodes: {} });
  return { ...ended, status: { ...ended.status, finishedAt: at } };
}
