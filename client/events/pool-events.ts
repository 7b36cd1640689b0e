import { explainAction } from '../../core/status/because.ts';
import { type PoolPhase, poolPhases } from '../../core/steps/pool-phases.ts';
import { phaseOf } from '../../core/steps/steps.ts';
import { searchAttributes } from '../../workflows/messages.ts';
import { childEvent, type NodeChild } from './child-events.ts';
import { endOf } from './end-events.ts';
import { type Fields, fieldsOf, firstOf, type HistoryEvent, numberIn, objectIn, textIn, valueOf } from './history.ts';
import { needsEvents } from './needs-events.ts';
import { explainProblem, toProblem } from './problems.ts';
import type { Happening } from './run-event.ts';
import { createStepReader } from './step-events.ts';

/** What is known of a run once a part of its history has been read. */
interface PoolReader {
  /** Reads the next event. */
  readonly read: (event: HistoryEvent) => readonly Happening[];
  /** Name of the run; empty before its first event. */
  readonly run: () => string;
  /** The workflows of its nodes that have started. */
  readonly children: () => readonly NodeChild[];
}

/** Reads the history of a run. Give it every event, in order. */
export function createPoolReader(): PoolReader {
  const readStep = createStepReader();
  const children = new Map<string, NodeChild>();
  let run = '';
  let phase: PoolPhase | undefined;
  let needs: Fields = {};
  const stalledNodes = new Set<string>();

  function readPhase(attributes: NonNullable<HistoryEvent['upsertWorkflowSearchAttributesEventAttributes']>) {
    const told = valueOf(attributes.searchAttributes?.indexedFields?.[searchAttributes.phase.name]);
    const next = poolPhases.find(({ id }) => id === told);
    if (next === undefined || next.id === phase) return [];
    phase = next.id;
    // How a run ends is told by its end.
    return next.isFinal === true ? [] : [enter(next.id)];
  }

  function readSignal(name: string | null | undefined, input: Fields, first: unknown): readonly Happening[] {
    if (name === 'nodeGoesOn' && typeof first === 'string')
      return [{ type: 'stall-ended', node: first, message: 'continues without an operator' }];
    const node = textIn(input, 'node');
    const problem = toProblem(objectIn(input, 'problem'));
    if (name !== 'nodeStalled' || node === undefined || problem === undefined) return [];
    stalledNodes.add(problem.message);
    const step = textIn(input, 'step');
    const message = `stalled: ${explainProblem(problem)}`;
    return [{ type: 'stalled', node, problem, message, ...(step === undefined ? {} : { step }) }];
  }

  function read(event: HistoryEvent): readonly Happening[] {
    const { workflowExecutionStartedEventAttributes: started } = event;
    if (started) {
      const input = firstOf(started.input);
      run = textIn(input, 'run') ?? '';
      return [begin(input)];
    }
    const { workflowExecutionUpdateAcceptedEventAttributes: accepted } = event;
    if (accepted) {
      const input = accepted.acceptedRequest?.input;
      return [actionEvent(input?.name ?? '', firstOf(input?.args), textIn(objectIn(needs, 'approval'), 'of'))];
    }
    const { workflowExecutionSignaledEventAttributes: signal } = event;
    if (signal) return readSignal(signal.signalName, firstOf(signal.input), valueOf(signal.input?.payloads?.[0]));
    if (event.upsertWorkflowSearchAttributesEventAttributes)
      return readPhase(event.upsertWorkflowSearchAttributesEventAttributes);
    const memo = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields;
    if (memo && 'needs' in memo) {
      const before = needs;
      needs = fieldsOf(memo['needs']);
      return needsEvents(before, needs, stalledNodes);
    }
    const { workflowExecutionCancelRequestedEventAttributes: cancel } = event;
    if (cancel) return [actionEvent('cancel', { by: cancel.identity ?? '', reason: cancel.cause ?? '' }, undefined)];
    return [...readStep(event), ...childEvent(event, children), ...endOf(event)];
  }

  return { read, run: () => run, children: () => [...children.values()] };
}

function begin(input: Fields): Happening {
  const by = textIn(input, 'by') ?? 'somebody';
  const reason = textIn(input, 'reason') ?? '';
  return { type: 'run-started', by, reason, message: explainAction({ action: 'start', by, reason, at: 0 }) };
}

function enter(phase: PoolPhase): Happening {
  return { type: 'phase-entered', phase, message: `phase: ${phaseOf(phase).label}` };
}

/** What an operator asked for, which the run has accepted. `approval` is what the run waited to be approved. */
function actionEvent(update: string, request: Fields, approval: string | undefined): Happening {
  const action = update.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const by = textIn(request, 'by') ?? '';
  const reason = textIn(request, 'reason') ?? '';
  const isAnswer = action === 'approve' || action === 'reject';
  const nodes = numberIn(request, 'maxInFlight');
  const of = isAnswer ? (textIn(request, 'of') ?? approval) : nodes === undefined ? textIn(request, 'of') : `${nodes}`;
  const told = `${action}${of === undefined ? '' : ` (${of})`} by ${by}${reason === '' ? '' : `: ${reason}`}`;
  const node = textIn(request, 'node');
  return {
    type: 'operator-action',
    action,
    by,
    reason,
    message: told,
    ...(of === undefined ? {} : { of }),
    ...(node === undefined ? {} : { node }),
  };
}
