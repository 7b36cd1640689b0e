import { describeEvidence } from '../../core/status/exclusion-reasons.ts';
import type { Evidence } from '../../core/status/status.ts';
import { nodeSteps } from '../../core/steps/node-steps.ts';
import { evidenceKinds } from '../../core/steps/steps.ts';
import { type Fields, firstOf, type HistoryEvent, listIn, numberIn, objectIn, textIn, valueOf } from './history.ts';
import { explainProblem, problemOf, toProblem } from './problems.ts';
import type { Happening } from './run-event.ts';

/** Activities that are not steps: what they do is told by events of its own, or repeats every few minutes. */
const quiet: readonly string[] = ['monitorRun', 'checkWindow', 'recordTimings'];
/** Summary of an activity that only limits how long an approval may take. */
const approvalTimer = 'wait for approval';

/** A step that has begun. */
interface Step {
  readonly activity: string;
  readonly step: string;
  /** What it does, in words. */
  readonly text: string;
  readonly isQuiet: boolean;
}

/** Reads the steps in one history. Give it every event, in order. */
export function createStepReader(): (event: HistoryEvent) => readonly Happening[] {
  const begun = new Map<string, Step>();
  const ended = (scheduledEventId: unknown): Step | undefined => begun.get(String(scheduledEventId));

  return (event) => {
    const { activityTaskScheduledEventAttributes: scheduled, activityTaskCompletedEventAttributes: completed } = event;
    if (scheduled) {
      const step = stepOf(scheduled.activityType?.name ?? '', valueOf(event.userMetadata?.summary));
      begun.set(String(event.eventId), step);
      return step.isQuiet ? [] : [happens('step-started', step, 'started')];
    }
    if (completed) return resultEvents(ended(completed.scheduledEventId), firstOf(completed.result));
    const { activityTaskFailedEventAttributes: failed, activityTaskTimedOutEventAttributes: timedOut } = event;
    const failure = failed ?? timedOut;
    if (failure) return failureEvents(ended(failure.scheduledEventId), problemOf(failure.failure));
    const { activityTaskCanceledEventAttributes: cancelled } = event;
    const step = cancelled ? ended(cancelled.scheduledEventId) : undefined;
    return step === undefined || step.isQuiet ? [] : [happens('step-cancelled', step, 'cancelled')];
  };
}

function stepOf(activity: string, summary: unknown): Step {
  const entry = nodeSteps.find((one) => one.activity === activity && activity !== 'excludeNext');
  const told = typeof summary === 'string' && summary !== '' ? summary : activity;
  return {
    activity,
    step: entry?.id ?? activity,
    text: entry?.label ?? told,
    isQuiet: quiet.includes(activity) || told === approvalTimer,
  };
}

function happens(type: Happening['type'], { step, text }: Step, how: string): Happening {
  return { type, step, message: `${text}: ${how}` };
}

/** Steps answer with their outcome, also when they have failed. A monitor answers with a problem when it has lost the lock. */
function resultEvents(step: Step | undefined, result: Fields): readonly Happening[] {
  if (step === undefined) return [];
  const changes = listIn(result, 'externalChanges').map(toChange);
  const problem = toProblem(objectIn(result, 'problem'));
  if (problem !== undefined) return [...changes, ...failureEvents(step, problem)];
  if (step.isQuiet) return changes;
  if (step.activity === 'excludeNext')
    return [...changes, happens('step-ended', step, 'done'), ...exclusionEvents(result)];
  const evidence = evidenceIn(result);
  const seen = evidence.map((one) => `${one.kind}: ${describeEvidence(one)}`).join('; ');
  const end = happens('step-ended', step, seen === '' ? 'done' : `done: ${seen}`);
  return [...changes, evidence.length === 0 ? end : { ...end, evidence }];
}

function failureEvents(step: Step | undefined, problem: Happening['problem']): readonly Happening[] {
  if (step === undefined || problem === undefined) return [];
  return [{ ...happens('step-failed', step, `failed: ${explainProblem(problem)}`), problem }];
}

/** The nodes that one answer of the guard has excluded. */
function exclusionEvents(result: Fields): readonly Happening[] {
  return [result, ...listIn(result, 'others')].flatMap((one): readonly Happening[] => {
    const node = textIn(objectIn(one, 'node'), 'name');
    const evidence = evidenceIn(one);
    if (node === undefined) return [];
    const excluded = evidence.findLast(({ kind }) => kind === 'excluded');
    const why = excluded === undefined ? '' : `: ${describeEvidence(excluded)}`;
    return [{ type: 'node-excluded', node, message: `excluded from its load balancers${why}`, evidence }];
  });
}

function evidenceIn(result: Fields): readonly Evidence[] {
  return listIn(result, 'evidence').flatMap((one) => {
    const kind = evidenceKinds.find((known) => known === one['kind']);
    const at = numberIn(one, 'at');
    const because = textIn(one, 'because');
    if (kind === undefined || at === undefined) return [];
    return [{ kind, at, detail: textIn(one, 'detail') ?? '', ...(because === undefined ? {} : { because }) }];
  });
}

/** An external change, as steps, statuses and reports have it. */
export function toChange(fields: Fields): Happening {
  const observedAt = numberIn(fields, 'at');
  return {
    type: 'external-change',
    message: `external change: ${textIn(fields, 'what') ?? ''}`,
    ...(observedAt === undefined ? {} : { observedAt }),
  };
}
