import { type AuditFinding, type AuditReport, isSevere } from '../../core/audit/audit.ts';
import type { Fix } from '../../core/audit/fix.ts';
import { formatObject } from '../../core/audit/rule.ts';
import { severities } from '../../core/plan/finding.ts';
import { count, listNames } from '../../core/text/format.ts';
import type { Style } from '../output/style.ts';
import { toneOfSeverity } from './severity-tones.ts';
import { renderRows } from './table.ts';
import { breakText, fitWidth } from './wrap.ts';

/** How far a fix is indented below its finding. */
const indent = '  ';

/** Draws an audit: a table of what was found, with the fix below each finding that needs one. */
export function renderAudit(report: AuditReport, style: Style): string[] {
  const { findings } = report;
  const title = style.paint(
    'strong',
    `${report.cluster}   ${count(report.nodes, 'node')}, ${count(report.services, 'Service')} of type LoadBalancer`,
  );
  return [
    ...fitWidth([title], style),
    '',
    ...(findings.length === 0 ? ['nothing found', ''] : renderFindings(findings, style)),
    ...fitWidth([...renderUnread(report, style), summarize(findings)], style),
  ];
}

function renderFindings(findings: readonly AuditFinding[], style: Style): readonly string[] {
  const header = ['SEVERITY', 'RULE', 'OBJECT', 'FINDING'];
  const rows = findings.map(({ severity, rule, object, message }) => [severity, rule, formatObject(object), message]);
  const [titles = [], ...drawn] = renderRows([header, ...rows], style.width);
  const lines = findings.flatMap((finding, index) => [
    ...colour(drawn[index] ?? [], finding, style),
    ...renderAnswer(finding, style),
  ]);
  // A fix ends with an empty line already.
  return [...titles, ...lines, ...(lines.at(-1) === '' ? [] : [''])];
}

/** The fix of a severe finding, or why it is accepted. */
function renderAnswer(finding: AuditFinding, style: Style): readonly string[] {
  if (finding.accepted !== undefined) return [style.paint('warn', `${indent}accepted: ${finding.accepted}`), ''];
  return isSevere(finding) ? renderFix(finding.fix, style) : [];
}

/** Only the severity has a colour, at the beginning of the first line. */
function colour(
  [first = '', ...others]: readonly string[],
  { severity }: AuditFinding,
  style: Style,
): readonly string[] {
  if (!first.startsWith(severity)) return [first, ...others];
  return [style.paint(toneOfSeverity[severity], severity) + first.slice(severity.length), ...others];
}

/** A command stays whole, on a line of its own, so that it can be copied. A manifest keeps its indentation. */
function renderFix({ text, commands = [], yaml }: Fix, { width }: Style): readonly string[] {
  const told = `${indent}fix: ${text}`;
  const lines = width === undefined ? [told] : breakText(told, width, `${indent}     `);
  return [
    ...lines,
    ...commands.map((command) => `${indent}  ${command}`),
    ...(yaml === undefined ? [] : yaml.split('\n').map((line) => `${indent}  ${line}`)),
    '',
  ];
}

function renderUnread({ unread }: AuditReport, style: Style): readonly string[] {
  return unread.flatMap(({ what, problem: { message, hint }, rules }) => [
    style.paint('warn', `not read: ${what}: ${message}`),
    ...(hint === undefined ? [] : [`${indent}fix: ${hint}`]),
    `${indent}not checked: ${listNames(rules, rules.length)}`,
    '',
  ]);
}

function summarize(findings: readonly AuditFinding[]): string {
  const told = severities.map((severity) => {
    const n = findings.filter((finding) => finding.severity === severity && finding.accepted === undefined).length;
    return severity === 'info' ? `${n} info` : count(n, severity);
  });
  const [first] = findings;
  const accepted = findings.filter((finding) => finding.accepted !== undefined).length;
  if (accepted > 0) told.push(`${accepted} accepted`);
  return first === undefined ? told.join(', ') : `${told.join(', ')}. Why it matters: nodeferry explain ${first.rule}`;
}
