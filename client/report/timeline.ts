/** When each node of a run was in which step, from its evidence. All times are epoch ms. */
import type { NodeRef } from '../../core/model/node.ts';
import type { NodeStatus, RunReport } from '../../core/status/status.ts';
import { type NodeStep, nodeSteps } from '../../core/steps/node-steps.ts';
import { isAtRest, stateOfStep } from '../../core/steps/steps.ts';
import { compareText } from '../../core/text/format.ts';

/** The timeline of a run. */
export interface Timeline {
  readonly from: number;
  readonly to: number;
  readonly zones: readonly { readonly zone: string; readonly rows: readonly TimelineRow[] }[];
  /** The steps that occur, in their order. */
  readonly steps: readonly NodeStep[];
  readonly losses: readonly LossMark[];
  /** When no probe was sent. */
  readonly unwatched: readonly Period[];
}

/** From when until when. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/** One node. */
export interface TimelineRow {
  readonly node: NodeRef;
  readonly bars: readonly Bar[];
}

/** A node was in this step. */
interface Bar extends Period {
  readonly step: NodeStep;
}

/** Requests that a probe lost. */
export interface LossMark extends Period {
  readonly probe: string;
  readonly lost: number;
  readonly canBeOurs: boolean;
}

/** Which step ends with which evidence. */
const stepsByEvidence: ReadonlyMap<string, NodeStep | undefined> = new Map(
  nodeSteps.flatMap(({ id, evidence = [] }) => evidence.map(({ kind }) => [kind, drawnStep(id)] as const)),
);

/** The steps of which a timeline has bars, in their order. */
export const drawnSteps: readonly NodeStep[] = [...new Set(nodeSteps.flatMap(({ id }) => drawnStep(id) ?? []))];

/** As what a step is drawn. Until a node is excluded it is pending, even while the guard is asked. Nothing is drawn of a node that is done. */
function drawnStep(step: NodeStep): NodeStep | undefined {
  if (step === 'pending') return step;
  if (isAtRest(stateOfStep(step))) return undefined;
  return step === 'replacing' ? 'pending' : step;
}

/** The timeline of a run that has ended. */
export function timelineOf(report: RunReport): Timeline {
  const { startedAt: from, nodes, traffic, durationMs } = report;
  const losses = (traffic.losses ?? []).flatMap(({ probe, spells }) =>
    spells.map((spell) => ({ probe, from: spell.from, to: spell.to, lost: spell.lost, canBeOurs: spell.canBeOurs })),
  );
  const unwatched = traffic.unwatched ?? [];
  const latest = [...nodes.flatMap(({ evidence }) => evidence.map(({ at }) => at)), ...losses.map((loss) => loss.to)];
  const to = latest.reduce((max, at) => Math.max(max, at), from + Math.max(durationMs, 1));
  const ordered = nodes.toSorted((a, b) => exclusionOf(a) - exclusionOf(b) || compareText(a.node.name, b.node.name));
  const newUids = listNewUids(report);
  const rows = ordered.map((node): TimelineRow => {
    // Nobody knows since when a new node has existed.
    const begin = newUids.has(node.node.uid) ? (node.evidence[0]?.at ?? to) : from;
    return { node: node.node, bars: barsOf(node, begin, to) };
  });
  const zones = [...Map.groupBy(rows, ({ node }) => node.zone)]
    .map(([zone, own]) => ({ zone, rows: own }))
    .toSorted((a, b) => compareText(a.zone, b.zone));
  const seen = new Set(rows.flatMap(({ bars }) => bars.map(({ step }) => step)));
  return { from, to, zones, steps: drawnSteps.filter((step) => seen.has(step)), losses, unwatched };
}

/** UIDs of the nodes that the run added. */
export function listNewUids({ newNodes }: Pick<RunReport, 'newNodes'>): ReadonlySet<string> {
  return new Set(newNodes.map(({ uid }) => uid));
}

function exclusionOf({ evidence }: NodeStatus): number {
  return evidence.find(({ kind }) => kind === 'excluded')?.at ?? Number.MAX_SAFE_INTEGER;
}

/** The steps of a node between its pieces of evidence, and the step that it is still in when the run ends. */
function barsOf({ step, evidence }: NodeStatus, start: number, end: number): readonly Bar[] {
  const bars: Bar[] = [];
  let from = start;
  const add = (next: NodeStep, to: number) => {
    const last = bars.at(-1);
    if (last?.step === next) bars[bars.length - 1] = { ...last, to };
    else if (to > from) bars.push({ step: next, from, to });
    from = Math.max(from, to);
  };
  // What is observed before the exclusion, such as the pod surge, belongs to no step of the node.
  for (const { kind, at } of evidence.toSorted((a, b) => a.at - b.at)) add(stepsByEvidence.get(kind) ?? 'pending', at);
  const current = drawnStep(step);
  if (current !== undefined) add(current, end);
  return bars;
}
