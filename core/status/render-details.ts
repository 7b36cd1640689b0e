import { isGoingBack, stateOfStep } from '../steps/steps.ts';
import { bytesOf } from '../text/bytes.ts';
import { count, formatDuration, formatTime, listNames } from '../text/format.ts';
import { describeNode, type NodeRow } from './describe-nodes.ts';
import { describeChange, describeRun } from './describe-run.ts';
import { doneWord } from './done-word.ts';
import { describeEvidence, listExclusionReasons } from './exclusion-reasons.ts';
import { explainDeadline } from './explain-waiting.ts';
import type { Line } from './line.ts';
import type { NodeStatus, RunReport, RunStatus } from './status.ts';

/** Maximum size of a page, bytes, as the server counts details (temporalio/temporal, `limit.userMetadataDetailsSize`). */
export const maxDetailBytes = 20_000;

/**
 * The run as a Markdown page, for the details of the workflow in the Temporal UI: first what an operator has to act on, then what is in progress.
 * For nodes that are pending or done it shows the number. All times are UTC.
 */
export function renderDetails(status: RunStatus | RunReport): string {
  const { alerts, unprotected, rollback, window, waiting, nodes, traffic, externalChanges, actions } =
    describeRun(status);
  const [counts, ...losses] = traffic.map(print);
  const before = [
    heading(status),
    quote(alerts.map((line) => (line.tone === undefined ? print(line) : emphasize(print(line))))),
    waiting.map((line) => `Waiting: ${print(line)}`).join('\n'),
    rollback.map(print).join('\n'),
    window.map(print).join('\n'),
    `Traffic: ${(counts ?? '').replace(/\d+ lost/, '**$&**')}`,
    list(losses.slice(0, maxListed)),
    unprotected.map(print).join('\n'),
  ];
  const after = [
    others(nodes, doneWord(status)),
    exclusions(status.nodes),
    ending(status),
    titled('Changes by others:', latest(externalChanges)),
    titled('What operators did:', latest(actions)),
  ];
  const left = maxDetailBytes - bytesOf(assemble([...before, ...after])) - bytesAround;
  return fit(assemble([...before, nodeTable(nodes, left), ...after]));
}

/** One node's replacement as a Markdown page, for the details of its own workflow. */
export function renderNodeDetails(status: NodeStatus): string {
  const { node, evidence, externalChanges = [] } = status;
  const { step, until, since, reason, sentences } = describeNode(status);
  const deadline = explainDeadline(until, undefined);
  const wait = [
    ...(since === undefined ? [] : [`since ${formatTime(since)}`]),
    ...(deadline === '' ? [] : [`deadline ${deadline}`]),
    ...(reason === '' ? [] : [cut(escape(reason))]),
  ];
  const parts = [
    `**${node.name}** (${node.instanceId}, ${node.zone}): ${step}`,
    wait.join('; '),
    quote(sentences.map(print)),
    list(evidence.map((one) => `${formatTime(one.at)} ${one.kind}: ${cut(escape(describeEvidence(one)))}`)),
    list(externalChanges.map((act) => print(describeChange(act)))),
  ];
  return fit(assemble(parts));
}

/** Space for the table's head and for the line that says what is left out, bytes. */
const bytesAround = 300;

/** Lines of a list that the page shows. */
const maxListed = 20;

/** How many reasons for exclusions the page shows. */
const maxReasons = 10;

function assemble(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function heading(status: RunStatus): string {
  const from = status.fromVersion === '' ? '' : `${status.fromVersion} `;
  const versions = status.toVersion === '' ? '' : ` · ${from}→ ${status.toVersion}`;
  const replaced = status.nodes.filter(({ step }) => stateOfStep(step) === 'replaced').length;
  const nodes =
    status.nodes.length === 0 ? '' : ` · ${replaced} of ${count(status.nodes.length, 'node')} ${doneWord(status)}`;
  return [
    `## ${status.cluster}/${status.pool}${status.drain === undefined ? ` → ${status.newPool}${versions}` : ': drain'}`,
    `**${status.phase}**${nodes} · run \`${status.run}\` · since ${formatTime(status.startedAt)}${took(status)}`,
  ].join('\n\n');
}

function took({ startedAt, finishedAt }: RunStatus): string {
  return finishedAt === undefined ? '' : ` · took ${formatDuration(finishedAt - startedAt)}`;
}

/** Highlights what an operator has to act on. */
function quote(lines: readonly string[]): string {
  return lines.map((line) => `> ${line}`).join('\n>\n');
}

/** Puts the kind of alert first. */
function emphasize(text: string): string {
  return text.replace(/^[^:\s]+/, '**$&**');
}

function print({ text }: Line): string {
  return cut(escape(text));
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** A list below a line that says what it is: without one, Markdown joins it to the list before. */
function titled(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}\n\n${list(lines)}`;
}

/** Cuts off the end of a page that is still too long. */
function fit(page: string): string {
  if (bytesOf(page) <= maxDetailBytes) return page;
  let bytes = bytesAround;
  const lines = page.split('\n').filter((line) => (bytes += bytesOf(line)) <= maxDetailBytes);
  return `${lines.join('\n')}\n\n…\n`;
}

/** A row for each stalled node, then for each node in progress, as far as there is space. */
function nodeTable(nodes: readonly NodeRow[], maxBytes: number): string {
  const shown = [...nodes.filter(isStalled), ...nodes.filter(isInProgress)];
  if (shown.length === 0) return '';
  const rows: string[] = [];
  let bytes = 0;
  for (const node of shown) {
    const row = rowOf(node);
    bytes += bytesOf(row);
    if (bytes > maxBytes) break;
    rows.push(row);
  }
  const hidden = countNodes(shown.slice(rows.length));
  const rest = hidden === 0 ? [] : ['', `${count(hidden, 'more node')} in progress: see \`nodeferry status\``];
  return ['| name | zone | step | since | deadline | reason |', '|---|---|---|---|---|---|', ...rows, ...rest].join(
    '\n',
  );
}

function rowOf({ names, zone = '', step, since, until, reason, sentences }: NodeRow): string {
  const why = cut(escape([reason, ...sentences.map(({ text }) => text)].filter((text) => text !== '').join('; ')));
  const from = since === undefined ? '' : formatTime(since);
  return `| ${listNames(names)} | ${zone} | ${step} | ${from} | ${explainDeadline(until, undefined)} | ${why} |`;
}

function isStalled({ state }: NodeRow): boolean {
  return state === 'stalled';
}

function isInProgress({ state }: NodeRow): boolean {
  return state === 'in-progress' || isGoingBack(state);
}

function countNodes(rows: readonly NodeRow[]): number {
  return rows.reduce((sum, { names }) => sum + names.length, 0);
}

/** How many nodes are pending, how many are done, and which were skipped. */
function others(rows: readonly NodeRow[], done: string): string {
  const pending = rows.filter(({ state }) => state === 'pending');
  const replaced = countNodes(rows.filter(({ state }) => state === 'replaced'));
  const skipped = rows.filter(({ state }) => state === 'skipped');
  return [
    ...(pending.length === 0
      ? []
      : [`${count(countNodes(pending), 'node')} pending: ${listNames(pending.flatMap(({ names }) => names))}`]),
    ...(replaced === 0 ? [] : [`${count(replaced, 'node')} ${done}`]),
    ...(skipped.length === 0
      ? []
      : [`${count(countNodes(skipped), 'node')} skipped: ${listNames(skipped.flatMap(({ names }) => names))}`]),
  ].join('\n\n');
}

function exclusions(nodes: readonly NodeStatus[]): string {
  const reasons = listExclusionReasons(nodes).map((text) => ({ text, tone: undefined }));
  return titled('Nodes were excluded because:', latest(reasons, maxReasons));
}

function ending(status: RunStatus | RunReport): string {
  if (!('outcome' in status)) return '';
  return [
    `Outcome: **${status.outcome}**`,
    status.leftovers.length === 0
      ? 'There are no leftovers.'
      : `Leftovers: ${escape(listNames(status.leftovers.map(cut), 10))}`,
    ...(status.unprotected.length === 0 ? [] : [`Unprotected: ${escape(listNames(status.unprotected.map(cut), 10))}`]),
  ].join('\n\n');
}

function latest(lines: readonly Line[], most = maxListed): readonly string[] {
  const left = lines.length - most;
  const shown = lines.slice(-most).map(print);
  return left <= 0 ? shown : [`${left} earlier ones are in the report`, ...shown];
}

/** Maximum number of characters of a text from another system. */
const maxOfText = 300;

function cut(text: string): string {
  return text.length <= maxOfText ? text : `${text.slice(0, maxOfText - 1)}…`;
}

/** Keeps text from other systems from breaking a table or a line. */
function escape(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}
