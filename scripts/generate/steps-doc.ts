import type { StepLists } from '../../core/steps/derive.ts';
import type { EvidenceSpec, PhaseSpec, StepSpec } from '../../core/steps/step-spec.ts';

const introduction = `# Steps of a run

Generated from the list of steps by \`npm run gen\`. [Concepts](concepts.md) explains why the steps come in this order,
[the policy](policy.md) has the defaults of the deadlines.

A deadline is a field of \`spec.waits.deadlines\`. When it has passed, the step is *stalled*: the run asks for an
operator, and nothing is forced. Evidence is what was observed, with its time; the report shows it in the column that
stands beside it. A rule is a name for \`spec.disabledRules\`; without it the run loses requests.
`;

/** The page that describes every step, made from the lists. */
export function stepsDoc({ phases, steps }: StepLists): string {
  return [
    introduction,
    '## Phases of a run\n',
    ...table(
      ['phase', 'what is done', 'what is waited for', 'deadline', 'evidence (column)', 'abort'],
      phases.map(phaseRow),
    ),
    '\n## Steps of a node\n',
    ...table(
      [
        'step',
        'in status',
        'what is done',
        'what is waited for',
        'deadline',
        'evidence (column)',
        'Event',
        'rule',
        'abort',
        'pause',
      ],
      steps.map(stepRow),
    ),
    '\n*abort*: `yes` where an abort still leads back from here. *pause*: `restores` where a run that pauses for lost',
    'requests has the node restored, because no pod has been told to stop yet.',
    '\n## Protective rules\n',
    ...table(
      ['rule', 'step', 'without it'],
      steps.flatMap(({ id, rule }) => (rule === undefined ? [] : [[code(rule.id), code(id), rule.without]])),
    ),
    '',
  ].join('\n');
}

function phaseRow(phase: PhaseSpec): readonly string[] {
  return [code(phase.id), phase.does, phase.waitsFor, deadlines(phase), evidence(phase), yes(phase.reversible)];
}

function stepRow(step: StepSpec): readonly string[] {
  const { id, label, does, waitsFor, event, rule, reversible, recallable } = step;
  return [
    code(id),
    label,
    does,
    waitsFor,
    deadlines(step),
    evidence(step),
    event === undefined ? '' : code(event),
    rule === undefined ? '' : code(rule.id),
    yes(reversible),
    recallable === true ? 'restores' : '',
  ];
}

function deadlines({ deadlines: all = [] }: PhaseSpec | StepSpec): string {
  return all.map(({ field }) => code(field)).join(', ');
}

function evidence(entry: PhaseSpec | StepSpec): string {
  return (entry.evidence ?? []).map(explainEvidence).join(', ');
}

function explainEvidence({ kind, column }: EvidenceSpec): string {
  return column === undefined ? code(kind) : `${code(kind)} (${column.title})`;
}

function yes(is: boolean): string {
  return is ? 'yes' : '';
}

function code(text: string): string {
  return `\`${text}\``;
}

/** The lines of a table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)];
}
