import { count } from '../../core/text/format.ts';
import type { PolicyProblem } from '../../policy-file/policy-problem.ts';
import type { Style } from '../output/style.ts';
import type { PolicySummary } from './policy-summary.ts';
import { fitWidth } from './wrap.ts';

/** What was found in one policy file. */
export interface CheckedPolicy {
  readonly file: string;
  readonly valid: boolean;
  /** Absent if the policy is not valid. */
  readonly summary?: PolicySummary;
  /** In the order of the file, at most fifty. */
  readonly problems: readonly PolicyProblem[];
  /** Number of further problems. */
  readonly more: number;
  readonly warnings: readonly PolicyProblem[];
  /** Why the file could not be read. */
  readonly unreadable?: string;
}

/** Draws what was found in policy files: one line for each valid policy; for the others each problem with its place, why, and how to fix it. */
export function renderValidation(checked: readonly CheckedPolicy[], style: Style): string[] {
  return fitWidth(
    checked.flatMap((one) => renderFile(one, style)),
    style,
  );
}

function renderFile({ file, summary, problems, more, warnings, unreadable }: CheckedPolicy, style: Style): string[] {
  if (summary !== undefined) {
    const { pool, target, windows, rollout } = summary;
    return [
      `${file}: ${style.paint('good', 'valid')}: ${pool} → ${target}; windows: ${windows}; rollout: ${rollout}`,
      ...warnings.flatMap((warning) => renderProblem(warning, style.paint('warn', 'warning: '))),
    ];
  }
  if (unreadable !== undefined)
    return [`${file}: ${style.paint('bad', unreadable)}`, '  fix: name an existing file, or - for standard input'];
  return [
    `${file}: ${style.paint('bad', count(problems.length + more, 'problem'))}`,
    ...problems.flatMap((problem) => renderProblem(problem, '')),
    ...(more === 0 ? [] : [`and ${more} more`]),
  ];
}

function renderProblem({ file, line, column, field, message, allowed, suggestion }: PolicyProblem, kind: string) {
  const meant = suggestion === undefined ? [] : [`did you mean ${suggestion}?`];
  const fix = [...meant, ...(allowed === undefined ? [] : [`allowed: ${allowed}`])].join(' ');
  return [
    `${file}:${line}:${column} ${kind}${field === '' ? '' : `${field}: `}${message}`,
    ...(fix === '' ? [] : [`  fix: ${fix}`]),
  ];
}
