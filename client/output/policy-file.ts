import { readFileSync } from 'node:fs';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { formatPolicyProblem, type PolicyResult, parsePolicy } from '../../policy-file/parse.ts';
import { surroundingsOf } from './policy-surroundings.ts';
import { printProgress } from './print.ts';

/**
 * Reads and checks a policy file, and the calendar files that it names; `-` is standard input.
 * @throws NodeferryError InvalidPolicy when the file can't be read
 */
export function parsePolicyFile(path: string): PolicyResult {
  return parsePolicy(readText(path), path === '-' ? '<stdin>' : path, surroundingsOf(path));
}

/**
 * Reads a policy file; `-` is standard input. Warnings go to stderr.
 * @throws NodeferryError InvalidPolicy naming every problem with file, line and field
 */
export function readPolicyFile(path: string): Policy {
  const parsed = parsePolicyFile(path);
  if (!parsed.ok) {
    const all = parsed.problems.length + parsed.more;
    throw new NodeferryError({
      code: 'InvalidPolicy',
      message: [
        `${all === 1 ? 'a problem' : `${all} problems`} in the policy`,
        ...parsed.problems.map((problem) => `  ${formatPolicyProblem(problem)}`),
        ...(parsed.more === 0 ? [] : [`  and ${parsed.more} more`]),
      ].join('\n'),
      hint: 'The fields are described in docs/policy.md and schemas/pool-upgrade.schema.json; nothing was started.',
    });
  }
  for (const warning of parsed.warnings) printProgress(`warning: ${formatPolicyProblem(warning)}`);
  return parsed.policy;
}

function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (cause) {
    throw new NodeferryError(
      {
        code: 'InvalidPolicy',
        message: `The policy file ${path} can't be read.`,
        hint: 'Name an existing file with -f, or - for standard input.',
      },
      { cause },
    );
  }
}
