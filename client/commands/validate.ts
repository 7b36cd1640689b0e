import { NodeferryError } from '../../core/model/problem.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { parsePolicyFile } from '../output/policy-file.ts';
import { type OutputFormat, printData } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { summarizePolicy } from '../view/policy-summary.ts';
import { type CheckedPolicy, renderValidation } from '../view/validation.ts';

/** Checks policy files and prints what was found. Reads nothing but these files and the calendar files that they name. */
export function validateCommand(files: readonly string[], options: { readonly output: OutputFormat }): ExitCode {
  const checked = [...new Set(files)].map(checkPolicyFile);
  printData(options.output, checked, () => renderValidation(checked, styleFor(process.stdout)).join('\n'));
  return checked.every(({ valid }) => valid) ? exitCodes.ok : exitCodes.usage;
}

function checkPolicyFile(path: string): CheckedPolicy {
  const file = path === '-' ? '<stdin>' : path;
  const found = { file, valid: false, problems: [], more: 0, warnings: [] };
  try {
    const parsed = parsePolicyFile(path);
    if (!parsed.ok) return { ...found, problems: parsed.problems, more: parsed.more };
    return { ...found, valid: true, summary: summarizePolicy(parsed.policy), warnings: parsed.warnings };
  } catch (error) {
    if (error instanceof NodeferryError) return { ...found, unreadable: error.problem.message };
    throw error;
  }
}
