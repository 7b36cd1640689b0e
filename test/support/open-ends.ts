import type { Awaits } from './awaits.ts';

/**
 * How the attempts of an activity stand: none runs, none can run before another step ends, at least one runs, or one of them has heard that it is
 * cancelled.
 */
export type AttemptState = 'none' | 'queued' | 'running' | 'cancelled';

/** What is on its way between test, server and workflows, so that virtual time can wait for it. */
export interface OpenEnds {
  /** A run says what it waits for. */
  tell(run: Run, awaits: Awaits): void;
  /** The server has begun a run, which will tell. */
  expect(run: Run): void;
  /** A call to the server is under way from now until what is returned is called. */
  beginCall(what: string): () => void;
  /** A signal to that workflow is on its way until the workflow has handled it; it is taken back by what is returned. */
  signalSent(id: string, to: string): () => void;
  /** A cancellation of that workflow is on its way until its open run has heard; it is taken back by what is returned. */
  cancelSent(to: string): () => void;
  /** Somebody ended that workflow from outside; nothing more comes of it, but its children are cancelled. */
  terminated(workflowId: string): void;
  /** Another run of the same workflow has taken this one's place, because somebody reset it; its children go on. */
  replaced(run: Run): void;
  /** A number that stays the same as long as no run of that workflow has told anything or begun. */
  toldBy(workflowId: string): number;
  /** Whether an attempt at that activity, by its key, has yet to hear that nobody waits for it any more. */
  isToEnd(activity: string): boolean;
  /** Runs that have not ended. */
  openRuns(): readonly Run[];
  /** Why anything but time can still move the world; undefined when only time can. */
  whyStill(): string | undefined;
}

/** One run of a workflow. */
export interface Run {
  readonly workflowId: string;
  readonly runId: string;
}

/** Name of an activity of a run, for all its attempts. */
export function activityKey({ workflowId, runId }: Run, activityId: string): string {
  return `${workflowId}/${runId}/${activityId}`;
}

/** A run as far as it is known; one that has told nothing yet awaits its first activation. */
interface KnownRun extends Run {
  awaits: Awaits | undefined;
  cancelAsked: boolean;
  terminated: boolean;
}

/** Keeps the open ends of all workflows of one harness. `attemptsOf` answers how the attempts of an activity stand, by its key. */
export function createOpenEnds(attemptsOf: (activity: string) => AttemptState, changed: () => void): OpenEnds {
  const runs = new Map<string, KnownRun>();
  const calls = new Set<{ readonly what: string }>();
  const signals = new Map<string, string>();
  const handled = new Set<string>();
  const told = new Map<string, number>();

  const openRuns = () => [...runs.values()].filter(({ awaits, terminated }) => !terminated && awaits?.ended !== true);
  const openRunOf = (workflowId: string) => openRuns().find((run) => run.workflowId === workflowId);

  function know({ workflowId, runId }: Run): KnownRun {
    const known = runs.get(runId) ?? { workflowId, runId, awaits: undefined, cancelAsked: false, terminated: false };
    runs.set(runId, known);
    return known;
  }

  function count(workflowId: string): void {
    told.set(workflowId, (told.get(workflowId) ?? 0) + 1);
  }

  function isToEnd(activity: string): boolean {
    for (const run of runs.values()) {
      if (!activity.startsWith(activityKey(run, ''))) continue;
      const awaited = run.awaits?.activities.find(({ id }) => activityKey(run, id) === activity);
      return run.terminated || (run.awaits !== undefined && awaited?.cancelled !== false);
    }
    return false;
  }

  function askToCancel(workflowId: string): KnownRun | undefined {
    const run = openRunOf(workflowId);
    if (run !== undefined) run.cancelAsked = true;
    return run;
  }

  function whyStill(): string | undefined {
    for (const { what } of calls) return `${what} is under way`;
    for (const [id, to] of signals) {
      if (isUnhandled(id, to)) return `signal ${id} is on its way to ${to}`;
    }
    for (const run of openRuns()) {
      const why = whyRunStill(run);
      if (why !== undefined) return why;
    }
    return undefined;
  }

  function whyRunStill({ workflowId, runId, awaits, cancelAsked }: KnownRun): string | undefined {
    if (awaits === undefined) return `${workflowId} has not begun`;
    if (cancelAsked && !awaits.cancelled) return `${workflowId} has not heard that it is cancelled`;
    for (const { workflowId: childId, started, cancelled } of awaits.children) {
      const child = openRunOf(childId);
      if (!started || child === undefined) return `${childId} begins or has ended`;
      if (cancelled && child.awaits?.cancelled !== true) return `${childId} has not heard that it is cancelled`;
    }
    for (const { id, to, delivered } of awaits.sent) {
      if (!delivered || isUnhandled(id, to)) return `signal ${id} is on its way to ${to}`;
    }
    for (const { id, cancelled } of awaits.activities) {
      const key = activityKey({ workflowId, runId }, id);
      const state = attemptsOf(key);
      if (state === 'queued') continue;
      if (state === 'none') return `no attempt of ${key} runs`;
      if (cancelled && state !== 'cancelled') return `${key} has not heard that it is cancelled`;
    }
    return undefined;
  }

  /** A workflow that was terminated handles nothing any more. */
  function isUnhandled(id: string, to: string): boolean {
    return !handled.has(id) && openRunOf(to) !== undefined;
  }

  /** A signal to a workflow that nobody here works on, or that has ended, is not for the next of the same name. */
  function isForNobody(to: string, { children }: Awaits): boolean {
    return openRunOf(to) === undefined && !children.some(({ workflowId }) => workflowId === to);
  }

  return {
    tell: (run, awaits) => {
      for (const id of awaits.handled) handled.add(id);
      for (const { id, to, delivered } of awaits.sent) if (delivered && isForNobody(to, awaits)) handled.add(id);
      know(run).awaits = awaits;
      count(run.workflowId);
      changed();
    },
    expect: (run) => {
      know(run);
      count(run.workflowId);
    },
    beginCall: (what) => {
      const call = { what };
      calls.add(call);
      return () => {
        calls.delete(call);
        changed();
      };
    },
    signalSent: (id, to) => {
      signals.set(id, to);
      return () => {
        signals.delete(id);
        changed();
      };
    },
    cancelSent: (to) => {
      const run = askToCancel(to);
      return () => {
        if (run !== undefined) run.cancelAsked = false;
        changed();
      };
    },
    terminated: (workflowId) => {
      for (const run of runs.values()) {
        if (run.workflowId !== workflowId || run.terminated) continue;
        run.terminated = true;
        for (const child of run.awaits?.children ?? []) askToCancel(child.workflowId);
      }
      changed();
    },
    replaced: (run) => {
      know(run).terminated = true;
      changed();
    },
    toldBy: (workflowId) => told.get(workflowId) ?? 0,
    isToEnd,
    openRuns,
    whyStill,
  };
}
