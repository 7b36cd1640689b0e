import { bytesOf } from '../plan/limits.ts';
import { count, formatDuration, formatTime, listNames } from '../text/format.ts';
import { because } from './because.ts';
import { describeTraffic } from './describe-traffic.ts';
import { allExternalChanges } from './external-changes.ts';
import { explainLosses } from './losses.ts';
import type { NodeStatus, NodeStep, RunReport, RunStatus, Waiting } from './status.ts';

/** Steps in words, for people. */
const stepWords: Readonly<Record<NodeStep, string>> = {
  pending: 'pending',
  replacing: 'replacing',
  deregistering: 'deregistering',
  'draining-connections': 'draining connections',
  evicting: 'evicting pods',
  'awaiting-replacements': 'waiting for replacements',
  'removing-endpoints': 'removing leftover endpoints',
  'awaiting-forwarded-connections': 'waiting for forwarded connections to end',
  terminating: 'terminating',
  replaced: 'replaced',
  restoring: 'restoring',
  restored: 'restored',
  stalled: 'stalled',
};

/** The most that a page may take, bytes, as the server counts details (temporalio/temporal, `limit.userMetadataDetailsSize`). */
export const maxDetailBytes = 20_000;

/**
 * The run as a Markdown page, for the details of the workflow in the Temporal UI: first what somebody has to do something about, then what
 * is under way. Of nodes that wait or are done it tells how many. All times are UTC.
 */
export function renderDetails(status: RunStatus | RunReport): string {
  const before = [
    heading(status),
    attention(status),
    pauseNote(status),
    waitingLine('Waiting', status.waiting),
    traffic(status),
  ];
  const after = [others(status.nodes), ending(status), othersDoing(status), actions(status)];
  const left = maxDetailBytes - bytesOf(assemble([...before, ...after])) - bytesAround;
  return fit(assemble([...before, nodeTable(status.nodes, left), ...after]));
}

/** Room for the table's head and for the line that tells what is left out, bytes. */
const bytesAround = 300;

function assemble(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function heading(status: RunStatus): string {
  const from = status.fromVersion === '' ? '' : `${status.fromVersion} `;
  const versions = status.toVersion === '' ? '' : ` · ${from}→ ${status.toVersion}`;
  const replaced = status.nodes.filter((node) => node.step === 'replaced').length;
  const nodes = status.nodes.length === 0 ? '' : ` · ${replaced} of ${count(status.nodes.length, 'node')} replaced`;
  return [
    `## ${status.cluster}/${status.pool} → ${status.newPool}${versions}`,
    `**${status.phase}**${nodes} · run \`${status.run}\` · since ${formatTime(status.startedAt)}${took(status)}`,
  ].join('\n\n');
}

function took({ startedAt, finishedAt }: RunStatus): string {
  return finishedAt === undefined ? '' : ` · took ${formatDuration(finishedAt - startedAt)}`;
}

function attention({ stalled, phase }: RunStatus): string {
  if (stalled === undefined) return '';
  const hint = stalled.hint === undefined ? '' : `\n>\n> ${cut(escape(stalled.hint))}`;
  const label = phase === 'failed' ? 'Failed' : 'Stalled';
  return `> **${label}** (${stalled.code}): ${cut(escape(stalled.message))}${hint}`;
}

function pauseNote({ paused }: RunStatus): string {
  return paused === undefined
    ? ''
    : `> **Paused** by ${cut(escape(because({ ...paused, by: `${paused.by} at ${formatTime(paused.at)}` })))}`;
}

function waitingLine(label: string, waiting: Waiting | undefined): string {
  return waiting === undefined ? '' : `${label}: ${cut(explainWaiting(waiting))}`;
}

function explainWaiting(waiting: Waiting): string {
  const until = waiting.until === undefined ? '' : `, until ${formatTime(waiting.until)}`;
  const unblock = waiting.action === undefined ? '' : `; unblocked by ${escape(waiting.action)}`;
  return `${escape(waiting.for)} (since ${formatTime(waiting.since)}${until})${unblock}`;
}

function traffic(status: RunStatus): string {
  const { disabledRules } = status;
  const line = `Traffic: ${describeTraffic(status).replace(/\d+ lost/, '**$&**')}`;
  const losses = explainLosses(status.traffic)
    .slice(0, maxChanges)
    .map((one) => `- ${cut(escape(one))}`);
  return [
    line,
    ...(losses.length === 0 ? [] : [losses.join('\n')]),
    ...(disabledRules.length === 0 ? [] : [`Disabled: ${disabledRules.join(', ')}`]),
  ].join('\n\n');
}

/** Cuts off the end of a page that is too long in spite of all. */
function fit(page: string): string {
  if (bytesOf(page) <= maxDetailBytes) return page;
  let bytes = bytesAround;
  const lines = page.split('\n').filter((line) => (bytes += bytesOf(line)) <= maxDetailBytes);
  return `${lines.join('\n')}\n\n…\n`;
}

/** A row for each node that needs somebody, then for each that is on its way, as far as there is room. */
function nodeTable(nodes: readonly NodeStatus[], maxBytes: number): string {
  const shown = [...nodes.filter(isTrouble), ...nodes.filter(isUnderWay)];
  if (shown.length === 0) return '';
  const rows: string[] = [];
  let bytes = 0;
  for (const node of shown) {
    const row = `| ${node.node.name} | ${node.node.zone} | ${stepWords[node.step]} | ${cut(detail(node))} |`;
    bytes += bytesOf(row);
    if (bytes > maxBytes) break;
    rows.push(row);
  }
  const hidden = shown.length - rows.length;
  const rest = hidden === 0 ? [] : ['', `${count(hidden, 'more node')} under way: see \`nodeferry status\``];
  return ['| node | zone | step | detail |', '|---|---|---|---|', ...rows, ...rest].join('\n');
}

function isTrouble({ step, problem }: NodeStatus): boolean {
  return step === 'stalled' || problem !== undefined;
}

function isUnderWay(node: NodeStatus): boolean {
  return !isTrouble(node) && node.step !== 'pending' && node.step !== 'replaced';
}

/** How many nodes have their turn before them, and how many behind them. */
function others(nodes: readonly NodeStatus[]): string {
  const waiting = nodes.filter((node) => node.step === 'pending' && !isTrouble(node));
  const replaced = nodes.filter((node) => node.step === 'replaced').length;
  return [
    ...(waiting.length === 0
      ? []
      : [`${count(waiting.length, 'node')} waiting: ${listNames(waiting.map(({ node }) => node.name))}`]),
    ...(replaced === 0 ? [] : [`${count(replaced, 'node')} replaced`]),
  ].join('\n\n');
}

function detail(node: NodeStatus): string {
  if (node.problem !== undefined) return escape(node.problem.message);
  const comesBack = node.step === 'restoring' || node.step === 'restored';
  if (comesBack && node.restoredBecause !== undefined) return `restored because ${escape(node.restoredBecause)}`;
  if (node.waiting !== undefined) return explainWaiting(node.waiting);
  const last = node.evidence.at(-1);
  return last === undefined ? '' : `${last.kind} ${formatTime(last.at)}: ${escape(last.detail)}`;
}

function ending(status: RunStatus | RunReport): string {
  if (!('outcome' in status)) return '';
  return [
    `Outcome: **${status.outcome}**`,
    status.leftovers.length === 0
      ? 'Nothing of ours is left behind.'
      : `Left behind: ${escape(listNames(status.leftovers.map(cut), 10))}`,
    ...(status.unprotected.length === 0
      ? []
      : [`Not protected: ${escape(listNames(status.unprotected.map(cut), 10))}`]),
  ].join('\n\n');
}

/** How many acts of others, and how many of operators, the page shows. */
const maxChanges = 20;

function othersDoing(status: RunStatus): string {
  const acts = allExternalChanges(status).map(({ at, what }) => `- ${formatTime(at)} ${cut(escape(what))}`);
  return acts.length === 0 ? '' : ['Others’ doing meanwhile:', '', ...latest(acts)].join('\n');
}

function actions({ actions: all }: RunStatus): string {
  const lines = all.map((taken) => `- ${formatTime(taken.at)} ${taken.action} by ${cut(escape(because(taken)))}`);
  return latest(lines).join('\n');
}

function latest(lines: readonly string[]): readonly string[] {
  const left = lines.length - maxChanges;
  return left <= 0 ? lines : [`- ${left} earlier ones are in the report`, ...lines.slice(-maxChanges)];
}

/** Characters of a text that somebody else has written. */
const maxOfText = 300;

function cut(text: string): string {
  return text.length <= maxOfText ? text : `${text.slice(0, maxOfText - 1)}…`;
}

/** Keeps text from other systems from breaking a table or a line. */
function escape(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}
