import type { Policy } from '../../core/policy/policy.ts';
import { count } from '../../core/text/format.ts';
import { formatPolicyProblem } from '../../policy-file/parse.ts';
import { parsePolicyFile } from '../output/policy-file.ts';
import type { Check } from './check.ts';
import { explainFailure } from './time-limit.ts';

const id = 'policy';

/** What was found, and the policy if it is valid. */
interface PolicyCheck {
  readonly check: Check;
  readonly policy?: Policy;
}

/** Checks that a policy file can be read and is valid; `-` is standard input. */
export function checkPolicy(file: string): PolicyCheck {
  try {
    const parsed = parsePolicyFile(file);
    if (parsed.ok) {
      const { cluster, pool } = parsed.policy;
      return { check: { id, state: 'ok', found: `valid, for ${cluster.name}/${pool.name}` }, policy: parsed.policy };
    }
    const [first] = parsed.problems;
    const all = count(parsed.problems.length + parsed.more, 'problem');
    const found = first === undefined ? all : `${all}, the first: ${formatPolicyProblem(first)}`;
    return { check: { id, state: 'failed', found, fix: `See all:\nnodeferry validate -f ${file}` } };
  } catch (error) {
    return { check: { id, state: 'failed', ...explainFailure(error) } };
  }
}
