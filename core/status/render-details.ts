import { count, formatDuration, formatTime, listNames } from '../text/format.ts';
import { explainTraffic } from './explain-traffic.ts';
import { allForeignActs } from './foreign-acts.ts';
import type { NodeStatus, NodeStep, RunReport, RunStatus, Waiting } from './status.ts';

/** Steps in words, for people. */
const stepWords: Readonly<Record<NodeStep, string>> = {
  waiting: 'waiting',
  'stepping-out': 'stepping out',
  'leaving-load-balancers': 'leaving its load balancers',
  'draining-connections': 'draining connections',
  evicting: 'evicting pods',
  'awaiting-replacements': 'waiting for replacements',
  'retiring-endpoints': 'retiring leftover endpoints',
  'awaiting-transit-connections': 'waiting for passing connections to end',
  terminating: 'terminating',
  replaced: 'replaced',
  'putting-back': 'putting back',
  'put-back': 'put back',
  'needs-attention': 'needs attention',
};

/** The run as a Markdown page, for the details of the workflow in the Temporal UI. All times are UTC. */
export function renderDetails(status: RunStatus | RunReport): string {
  return `${[
    heading(status),
    attention(status),
    pauseNote(status),
    waitingLine('Waiting', status.waiting),
    traffic(status),
    nodeTable(status.nodes),
    ending(status),
    othersDoing(status),
    actions(status),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

function heading(status: RunStatus): string {
  const versions = status.toVersion === '' ? '' : ` · ${status.fromVersion} → ${status.toVersion}`;
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

function attention({ needsAttention }: RunStatus): string {
  if (needsAttention === undefined) return '';
  const hint = needsAttention.hint === undefined ? '' : `\n>\n> ${escape(needsAttention.hint)}`;
  return `> **Needs attention** (${needsAttention.code}): ${escape(needsAttention.message)}${hint}`;
}

function pauseNote({ paused }: RunStatus): string {
  return paused === undefined
    ? ''
    : `> **Paused** by ${escape(paused.by)} at ${formatTime(paused.at)}: ${escape(paused.reason)}`;
}

function waitingLine(label: string, waiting: Waiting | undefined): string {
  return waiting === undefined ? '' : `${label}: ${explainWaiting(waiting)}`;
}

function explainWaiting(waiting: Waiting): string {
  const until = waiting.until === undefined ? '' : `, until ${formatTime(waiting.until)}`;
  const unblock = waiting.unblockedBy === undefined ? '' : `; unblocked by ${escape(waiting.unblockedBy)}`;
  return `${escape(waiting.on)} (since ${formatTime(waiting.since)}${until})${unblock}`;
}

function traffic(status: RunStatus): string {
  const { disabledRules } = status;
  const line = `Traffic: ${explainTraffic(status).replace(/\d+ lost/, '**$&**')}`;
  return disabledRules.length === 0 ? line : `${line}\n\nSwitched off: ${disabledRules.join(', ')}`;
}

function nodeTable(nodes: readonly NodeStatus[]): string {
  if (nodes.length === 0) return '';
  const rows = nodes.map(
    (node) => `| ${node.node.name} | ${node.node.zone} | ${stepWords[node.step]} | ${detail(node)} |`,
  );
  return ['| node | zone | step | detail |', '|---|---|---|---|', ...rows].join('\n');
}

function detail(node: NodeStatus): string {
  if (node.problem !== undefined) return escape(node.problem.message);
  const comesBack = node.step === 'putting-back' || node.step === 'put-back';
  if (comesBack && node.putBackBecause !== undefined) return `put back because ${escape(node.putBackBecause)}`;
  if (node.waiting !== undefined) return explainWaiting(node.waiting);
  const last = node.evidence.at(-1);
  return last === undefined ? '' : `${last.kind} ${formatTime(last.at)}: ${escape(last.detail)}`;
}

function ending(status: RunStatus | RunReport): string {
  if (!('outcome' in status)) return '';
  return [
    `Outcome: **${status.outcome}**`,
    status.leftBehind.length === 0
      ? 'Nothing of ours is left behind.'
      : `Left behind: ${escape(listNames(status.leftBehind, 20))}`,
    ...(status.notProtected.length === 0 ? [] : [`Not protected: ${escape(listNames(status.notProtected, 20))}`]),
  ].join('\n\n');
}

/** How many foreign acts the page shows. */
const mostActs = 20;

function othersDoing(status: RunStatus): string {
  const acts = allForeignActs(status);
  const shown = acts.slice(-mostActs).map(({ at, what }) => `- ${formatTime(at)} ${escape(what)}`);
  if (acts.length > shown.length) shown.unshift(`- ${acts.length - shown.length} earlier ones are in the report`);
  return shown.length === 0 ? '' : ['Others’ doing meanwhile:', '', ...shown].join('\n');
}

function actions({ actions: taken }: RunStatus): string {
  return taken
    .map(({ action, by, reason, at }) => `- ${formatTime(at)} ${action} by ${escape(by)}: ${escape(reason)}`)
    .join('\n');
}

/** Keeps text from other systems from breaking a table or a line. */
function escape(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}
