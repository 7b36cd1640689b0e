/** What was lost, by probe, and whether the run can have caused it. */
import { count, formatTime, listNames } from '../text/format.ts';
import { canBeOurs, type Outlook } from './outlook.ts';
import type { LossSpell, ProbeLosses } from './probe-losses.ts';
import type { TrafficCounts } from './traffic-counts.ts';

/** Losses that are further apart than this, ms, are reported separately. */
const spellGapMs = 60_000;

/** At most this many spells are reported for each probe, and this many nodes for each spell. */
const maxSpells = 5;
const maxNodes = 10;

/** Requests that the run may have caused to be lost. Losses that nobody has attributed count too. */
export function lostByUs({ lost, losses = [] }: Pick<TrafficCounts, 'lost' | 'losses'>): number {
  return lost - losses.reduce((sum, { whileNoneOut }) => sum + whileNoneOut, 0);
}

/** What probes have lost since it was last observed. */
interface Observed {
  /** By the name of the probe. */
  readonly lostBy: Readonly<Record<string, number>>;
  /** How the latest lost request of each failed. */
  readonly failureBy?: Readonly<Record<string, string>>;
  /** Epoch ms. */
  readonly at: number;
}

/** Adds what each probe has lost, according to what was known of the run's nodes after that. */
export function addLosses(
  known: readonly ProbeLosses[],
  { lostBy, failureBy = {}, at }: Observed,
  outlook: Outlook,
  reach: number,
): readonly ProbeLosses[] {
  const ours = canBeOurs(outlook, at, reach);
  const nodes = ours ? outlook.nodes.slice(0, maxNodes) : [];
  const all = new Map(known.map((losses) => [losses.probe, losses]));
  for (const [probe, lost] of Object.entries(lostBy)) {
    if (lost === 0) continue;
    const before = all.get(probe) ?? { probe, lost: 0, whileNoneOut: 0, spells: [] };
    const failure = failureBy[probe];
    const spell = { from: at, to: at, lost, canBeOurs: ours, nodes, ...(failure === undefined ? {} : { failure }) };
    all.set(probe, {
      probe,
      lost: before.lost + lost,
      whileNoneOut: before.whileNoneOut + (ours ? 0 : lost),
      spells: addSpell(before.spells, spell),
    });
  }
  return [...all.values()];
}

function addSpell(spells: readonly LossSpell[], next: LossSpell): readonly LossSpell[] {
  const last = spells.at(-1);
  if (last === undefined || last.canBeOurs !== next.canBeOurs || next.from - last.to > spellGapMs)
    return [...spells, next].slice(-maxSpells);
  const nodes = [...new Set([...last.nodes, ...next.nodes])].slice(0, maxNodes);
  return [...spells.slice(0, -1), { ...next, ...last, to: next.to, lost: last.lost + next.lost, nodes }];
}

/** What a run had accepted as lost when it was last resumed, and when (epoch ms). */
export interface Accepted {
  readonly traffic: TrafficCounts;
  readonly at: number;
}

/** Why a run pauses: how much was lost since then that the run may have caused, by which probe, since when, and which nodes were out. */
export function explainExceeded(counts: TrafficCounts, accepted: Accepted, budget: number): string {
  const lost = lostByUs(counts) - lostByUs(accepted.traffic);
  const parts = (counts.losses ?? []).flatMap((losses) => {
    const before = accepted.traffic.losses?.find(({ probe }) => probe === losses.probe);
    const more = oursOf(losses) - (before === undefined ? 0 : oursOf(before));
    if (more === 0) return [];
    const spells = losses.spells.filter((spell) => spell.canBeOurs && spell.to > accepted.at);
    const since = Math.max(accepted.at, spells[0]?.from ?? accepted.at);
    const nodes = [...new Set(spells.flatMap((spell) => spell.nodes))];
    return [
      `${losses.probe} lost ${more} since ${formatTime(since)} UTC${explainFailure(spells)}, ${explainOut(nodes)}`,
    ];
  });
  return [`${count(lost, 'request')} lost, the budget is ${budget}`, parts.join('; ')].filter(Boolean).join(': ');
}

function oursOf({ lost, whileNoneOut }: ProbeLosses): number {
  return lost - whileNoneOut;
}

function explainOut(nodes: readonly string[]): string {
  if (nodes.length === 0) return 'while it could not be seen which nodes were out';
  return `while ${listNames(nodes)} ${nodes.length === 1 ? 'was' : 'were'} out or just had been`;
}

/** What each probe has lost, and when, a line for each. */
export function explainLosses({ losses = [] }: Pick<TrafficCounts, 'losses'>): readonly string[] {
  return losses.map(({ probe, lost, whileNoneOut, spells }) => {
    const split = whileNoneOut === 0 ? '' : `, ${explainSplit(lost, whileNoneOut)}`;
    return `${probe} lost ${lost}${split}: ${spells.map(explainSpell).join('; ')}`;
  });
}

/** How many of them were lost while no node of the run was out. */
export function explainSplit(lost: number, whileNoneOut: number): string {
  const share = lost === whileNoneOut ? (lost === 1 ? '' : 'all ') : `${whileNoneOut} of them `;
  return `${share}while no node of the run was out`;
}

function explainSpell(spell: LossSpell): string {
  const { from, to, lost, canBeOurs: ours, nodes } = spell;
  const times = to - from < 1_000 ? `at ${formatTime(from)}` : `from ${formatTime(from)} to ${formatTime(to)}`;
  return `${lost} ${times} UTC${explainFailure([spell])} ${ours ? explainOut(nodes) : 'while none was out'}`;
}

function explainFailure(spells: readonly LossSpell[]): string {
  const failure = spells.findLast((spell) => spell.failure !== undefined)?.failure;
  return failure === undefined ? '' : ` (${failure})`;
}
