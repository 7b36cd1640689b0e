import { describeAccepted } from '../../core/plan/acceptance.ts';
import { because } from '../../core/status/because.ts';
import { listExclusionReasons } from '../../core/status/exclusion-reasons.ts';
import { allExternalChanges } from '../../core/status/external-changes.ts';
import type { Line } from '../../core/status/line.ts';
import type { OperatorAction, RunReport } from '../../core/status/status.ts';
import { stepOf } from '../../core/steps/steps.ts';
import { formatDuration } from '../../core/text/format.ts';
import { nextSteps } from '../view/seen-run.ts';
import { type Block, listOf, paragraph, plain, type ReportDocument, type Section, sectionOf } from './document.ts';
import { evidenceTable } from './evidence-table.ts';
import { formatMoment } from './format-moment.ts';
import { requestsSection } from './requests-section.ts';
import { summarize } from './summarize.ts';
import { timePerStep } from './time-per-step.ts';
import { listNewUids, timelineOf } from './timeline.ts';

/** What is added to a report. */
interface Additions {
  /** What writes the document, e.g. `nodeferry 1.2.0`. */
  readonly madeBy: string;
  /** Sections of the caller's own, before the timeline. */
  readonly sections?: readonly Section[];
}

/** Composes the report of a run that has ended, from its evidence alone. */
export function composeReport(report: RunReport, { madeBy, sections = [] }: Additions): ReportDocument {
  return {
    title: `${report.cluster}/${report.pool} ${report.fromVersion} → ${report.toVersion}`,
    summary: summarize(report),
    sections: [
      requestsSection(report),
      ...sectionOf('What needs doing', needsDoing(report)),
      ...sections,
      ...sectionOf('Timeline', timelineBlocks(report)),
      ...sectionOf('Nodes', nodeBlocks(report)),
      ...sectionOf('Why the guard allowed each exclusion', listOf(listExclusionReasons(report.nodes).map(plain))),
      ...sectionOf('Approvals and operator actions', actionBlocks(report.actions)),
      ...sectionOf('Upgrade windows', windowBlocks(report)),
      ...sectionOf('Accepted findings', acceptedBlocks(report)),
      ...sectionOf('External changes', changeBlocks(report)),
      ...sectionOf('Cost', costBlocks(report)),
      ...sectionOf('Versions and new nodes', versionBlocks(report)),
    ],
    footer: `Run ${report.run}, workflow ${report.workflowId}. Written by ${madeBy} from the evidence of the run. All times are UTC.`,
  };
}

/** What is left of the run, on purpose or not, and the problems of its nodes. */
function needsDoing(report: RunReport): readonly Block[] {
  const { leftovers, nodes } = report;
  const problems = nodes.flatMap(({ node, problem }): Line[] => {
    if (problem === undefined) return [];
    const fix = problem.hint === undefined ? '' : ` Fix: ${problem.hint}`;
    return [{ tone: 'bad', text: `${node.name}: ${problem.code}: ${problem.message}${fix}` }];
  });
  return [
    ...listOf(problems),
    ...(leftovers.length === 0
      ? []
      : [paragraph(plain('Not restored, or left on purpose because restoring it would do harm:'))]),
    ...listOf(leftovers.map((text): Line => ({ tone: 'warn', text }))),
    ...nextSteps(report, leftovers).map((text) => paragraph(plain(text))),
  ];
}

function timelineBlocks(report: RunReport): readonly Block[] {
  if (report.nodes.length === 0) return [paragraph(plain('The run ended before it knew the nodes of the pool.'))];
  const timeline = timelineOf(report);
  return [{ kind: 'timeline', timeline }, ...timePerStep(timeline).map((table): Block => ({ kind: 'table', table }))];
}

function nodeBlocks(report: RunReport): readonly Block[] {
  if (report.nodes.length === 0) return [];
  const { titles, rows } = evidenceTable(report);
  const newUids = listNewUids(report);
  const table = {
    caption: 'When each step was observed, in seconds after the start of the run',
    head: ['Node', 'Zone', 'Instance', 'Step', ...titles],
    rows: report.nodes.map(({ node, step }, index) => [
      node.name,
      node.zone,
      node.instanceId,
      newUids.has(node.uid) && step === 'replaced' ? 'removed again' : stepOf(step).label,
      ...(rows[index] ?? []),
    ]),
  };
  return [{ kind: 'table', table }];
}

function actionBlocks(actions: readonly OperatorAction[]): readonly Block[] {
  if (actions.length === 0) return [];
  const rows = actions.map(({ at, action, of = '', by, reason }) => [formatMoment(at), action, of, by, reason]);
  return [
    { kind: 'table', table: { caption: 'Who did what, and why', head: ['When', 'Action', 'Of', 'By', 'Why'], rows } },
  ];
}

function windowBlocks({ window, windowOverride }: RunReport): readonly Block[] {
  return [
    ...(windowOverride === undefined
      ? []
      : [
          paragraph({
            tone: 'warn',
            text: `Overridden at ${formatMoment(windowOverride.at)} by ${because(windowOverride)}`,
          }),
        ]),
    ...(window === undefined
      ? []
      : [paragraph(plain(`Last checked at ${formatMoment(window.checkedAt)}: ${window.detail}`))]),
  ];
}

function acceptedBlocks({ unprotected, accepted = [] }: RunReport): readonly Block[] {
  return listOf([...unprotected, ...accepted.map(describeAccepted)].map((text): Line => ({ tone: 'warn', text })));
}

function changeBlocks(report: RunReport): readonly Block[] {
  const changes = allExternalChanges(report);
  if (changes.length === 0) return [];
  const rows = changes.map(({ at, what }) => [formatMoment(at), what]);
  return [{ kind: 'table', table: { caption: 'What others changed meanwhile', head: ['When', 'What'], rows } }];
}

function costBlocks({ instanceMinutes }: RunReport): readonly Block[] {
  if (instanceMinutes === undefined) return [];
  const duration = formatDuration(instanceMinutes * 60_000);
  return [paragraph(plain(`Instance time beyond the pool: ${instanceMinutes} instance-minutes (${duration}).`))];
}

function versionBlocks({ pool, newPool, fromVersion, toVersion, newNodes, drain }: RunReport): readonly Block[] {
  if (drain !== undefined) return [paragraph(plain(`Pool: ${pool}, ${fromVersion}.`))];
  const versions = paragraph(plain(`Old pool: ${pool}, ${fromVersion}. New pool: ${newPool}, ${toVersion}.`));
  if (newNodes.length === 0) return [versions];
  const rows = newNodes.map(({ name, zone, instanceId }) => [name, zone, instanceId]);
  return [
    versions,
    { kind: 'table', table: { caption: `New nodes of ${newPool}`, head: ['Node', 'Zone', 'Instance'], rows } },
  ];
}
