import { explainBudget } from '../../core/eviction/explain-budget.ts';
import { because } from '../../core/status/because.ts';
import type { BlockedSince } from '../../core/status/blocked.ts';
import type { NodeStatus, Waiting } from '../../core/status/status.ts';
import { isAtRest, stateOfStep, stepOf } from '../../core/steps/steps.ts';
import { count, listNames } from '../../core/text/format.ts';
import { explainEnd, isCutOff, nextSteps, type SeenRun, stateOf } from '../view/seen-run.ts';

/** Why a run does not continue, or what it waits for. Times are epoch ms. */
export interface WaitReason {
  /** In a sentence. */
  readonly what: string;
  readonly since?: number;
  /** When the wait ends by itself, or when its deadline passes. */
  readonly until?: number;
  /** What happens then. */
  readonly afterwards?: string;
  /** What would unblock it. */
  readonly unblock: string;
  /** The command for that, if there is one. */
  readonly command?: string;
}

/** Why a run waits, the most important first. */
export interface RunExplanation {
  readonly cluster: string;
  readonly pool: string;
  readonly state: string;
  /** Nodes that are done: replaced or drained. */
  readonly replaced: number;
  readonly nodes: number;
  /** The run drains nodes, without a pool that replaces them. */
  readonly drains: boolean;
  readonly reasons: readonly WaitReason[];
}

/** Says why a run waits: what needs an operator first, then what blocks nodes, then what continues by itself. Pure. */
export function explainRun(status: SeenRun): RunExplanation {
  const { cluster, pool, nodes, drain } = status;
  const replaced = nodes.filter(({ step }) => stateOfStep(step) === 'replaced').length;
  return {
    cluster,
    pool,
    state: stateOf(status),
    replaced,
    nodes: nodes.length,
    drains: drain !== undefined,
    reasons: reasonsOf(status),
  };
}

function reasonsOf(status: SeenRun): readonly WaitReason[] {
  const { nodes, workflow, finishedAt } = status;
  if (finishedAt !== undefined || (workflow !== undefined && workflow.state !== 'running')) return explainEnded(status);
  return [
    ...explainStalled(status),
    ...explainPaused(status),
    ...explainApproval(status),
    ...explainStalledNodes(status),
    ...nodes.flatMap((node) => explainBlockedPods(node)),
    ...explainRunWaiting(status),
    ...explainNodeWaits(nodes),
  ];
}

/** A run that has ended waits for nothing. */
function explainEnded(status: SeenRun): readonly WaitReason[] {
  const name = nameOf(status);
  if (isCutOff(status)) {
    const [what = '', ...unblock] = explainEnd(status);
    return [{ what: `${what}.`, unblock: unblock[0] ?? '', command: `nodeferry cleanup ${name}` }];
  }
  const { stalled } = status;
  if (stateOf(status) !== 'failed') return [];
  const cause = stalled === undefined ? '' : ` ${stalled.code}: ${stalled.message}`;
  const fix = [...(stalled?.hint === undefined ? [] : [stalled.hint]), ...nextSteps(status)].join(' ');
  return [{ what: `The run has failed.${cause}`, unblock: fix, command: `nodeferry report ${name}` }];
}

/** A missing approval, and nodes that are stalled, have sentences of their own. */
function explainStalled(status: SeenRun): readonly WaitReason[] {
  const { stalled, approval, nodes } = status;
  if (stalled === undefined || (approval !== undefined && stalled.code === 'ApprovalMissing')) return [];
  if (nodes.some(({ problem }) => problem?.code === stalled.code && problem.message === stalled.message)) return [];
  return [
    {
      what: `The run is stalled. ${stalled.code}: ${stalled.message}`,
      unblock: stalled.hint ?? 'Fix the cause, then resume the run.',
      command: `nodeferry resume ${nameOf(status)}`,
    },
  ];
}

function explainPaused(status: SeenRun): readonly WaitReason[] {
  const { paused } = status;
  if (paused === undefined) return [];
  const unblock =
    paused.endsByItself === true
      ? 'It continues once enough of these nodes are retried or skipped. A resume retries all of them.'
      : 'An operator has to resume it.';
  return [
    {
      what: `The run is paused by ${because(paused)}. It starts no further node.`,
      since: paused.at,
      unblock,
      command: `nodeferry resume ${nameOf(status)}`,
    },
  ];
}

function explainApproval(status: SeenRun): readonly WaitReason[] {
  const { approval } = status;
  if (approval === undefined) return [];
  const { of, since, until, onTimeout } = approval;
  return [
    {
      what: `The run waits for approval of ${of}.`,
      since,
      ...(until === undefined ? {} : { until, afterwards: onTimeout === 'abort' ? 'it is aborted' : 'it is stalled' }),
      unblock: `Somebody has to approve or reject it: nodeferry reject ${nameOf(status)} --of "${of}" --reason WHY`,
      command: `nodeferry approve ${nameOf(status)} --of "${of}"`,
    },
  ];
}

/** Nodes with the same problem in one sentence. */
function explainStalledNodes(status: SeenRun): readonly WaitReason[] {
  const stalled = status.nodes.filter(({ problem }) => problem !== undefined);
  const groups = Map.groupBy(stalled, ({ problem }) => `${problem?.code}: ${problem?.message}`);
  return [...groups].map(([problem, nodes]) => ({
    what: `${namesOf(nodes)} ${nodes.length === 1 ? 'is' : 'are'} stalled. ${problem}`,
    ...sinceOf(nodes),
    unblock: nodes[0]?.problem?.hint ?? 'Fix the cause, then retry.',
    command:
      nodes.length === 1
        ? `nodeferry retry ${nameOf(status)} --node ${nodes[0]?.node.name}`
        : `nodeferry resume ${nameOf(status)}`,
  }));
}

/** The pods of a node that may not leave yet: those of one budget in one sentence. */
function explainBlockedPods({ node, waiting }: NodeStatus): readonly WaitReason[] {
  const groups = Map.groupBy(waiting?.blocked ?? [], ({ budget, reason }) => budget ?? reason);
  return [...groups.values()].flatMap((blocked) => {
    const [first] = blocked;
    return first === undefined ? [] : [explainBlocked(node.name, first, blocked, waiting)];
  });
}

function explainBlocked(
  node: string,
  first: BlockedSince,
  blocked: readonly BlockedSince[],
  waiting: Waiting | undefined,
): WaitReason {
  const { budget, reason } = first;
  const pods = `${blocked.length === 1 ? 'Pod' : 'Pods'} ${listNames(blocked.map(({ pod }) => pod))} cannot leave ${node}`;
  const [namespace = '', name = ''] = (budget ?? first.pod).split('/');
  const times = {
    since: Math.min(...blocked.map(({ since }) => since)),
    ...(waiting?.until === undefined ? {} : { until: waiting.until, afterwards: 'the node is stalled' }),
  };
  if (budget === undefined) {
    const command = `kubectl -n ${namespace} describe pod ${name}`;
    return { what: `${pods}: ${reason}`, ...times, unblock: waiting?.action ?? 'See what keeps it.', command };
  }
  const { says, unblock, isForGood } = explainBudget(first);
  const command = `kubectl -n ${namespace} ${isForGood ? 'edit' : 'describe'} pdb ${name}`;
  return { what: `${pods}: PodDisruptionBudget ${budget} ${says}.`, ...times, unblock, command };
}

/** What the run itself waits for. While it waits for an approval, that says so already. */
function explainRunWaiting(status: SeenRun): readonly WaitReason[] {
  const { waiting, approval, window, windowOverride } = status;
  if (waiting === undefined || approval !== undefined) return [];
  const isClosed = window?.mayStart === false && windowOverride === undefined;
  const command = isClosed ? { command: `nodeferry override-window ${nameOf(status)} --reason WHY` } : {};
  return [
    {
      // The guard says in a sentence of its own which node waits for what.
      what: / waits: /.test(waiting.for) ? `${waiting.for}.` : `The run waits for ${waiting.for}.`,
      since: waiting.since,
      ...(waiting.until === undefined ? {} : { until: waiting.until }),
      unblock: isClosed
        ? 'It continues by itself when a window opens. It can continue at once if an operator overrides the windows.'
        : explainAction(waiting),
      ...command,
    },
  ];
}

/** What nodes in progress wait for: those that wait for the same at the same step in one sentence. */
function explainNodeWaits(nodes: readonly NodeStatus[]): readonly WaitReason[] {
  const waiting = nodes.filter(
    ({ problem, waiting: one, step }) =>
      problem === undefined && one !== undefined && one.blocked === undefined && !isAtRest(stateOfStep(step)),
  );
  const groups = Map.groupBy(waiting, ({ step, waiting: one }) => `${stepOf(step).label}: ${one?.for}`);
  return [...groups].flatMap(([what, group]) => {
    const one = group[0]?.waiting;
    if (one === undefined) return [];
    const until = Math.min(...group.map((node) => node.waiting?.until ?? Number.POSITIVE_INFINITY));
    return [
      {
        what: `${namesOf(group)} ${group.length === 1 ? 'waits' : 'wait'} at step ${what}.`,
        ...sinceOf(group),
        ...(Number.isFinite(until) ? { until } : {}),
        unblock: explainAction(one),
      },
    ];
  });
}

function explainAction({ action, remedy }: Waiting): string {
  if (remedy !== undefined) return `This does not end by itself. ${remedy}`;
  return action === undefined ? 'Nothing has to be done: it continues by itself.' : `What would unblock it: ${action}`;
}

function sinceOf(nodes: readonly NodeStatus[]): { readonly since?: number } {
  const since = Math.min(...nodes.map(({ waiting }) => waiting?.since ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(since) ? { since } : {};
}

function namesOf(nodes: readonly NodeStatus[]): string {
  const names = listNames(nodes.map(({ node }) => node.name));
  return nodes.length === 1 ? `Node ${names}` : `${count(nodes.length, 'node')} (${names})`;
}

function nameOf({ cluster, pool }: SeenRun): string {
  return `${cluster}/${pool}`;
}
