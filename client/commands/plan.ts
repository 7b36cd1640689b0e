import { refusal } from '../../core/plan/refusal.ts';
import { type WrittenAcceptances, withAccepted } from '../accept-option.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { formatProblem } from '../output/fail.ts';
import { readPolicyFile } from '../output/policy-file.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { savePlan } from '../saved-plan.ts';
import { renderPlan } from '../view/plan.ts';

/** Options of `plan`. */
interface PlanOptions extends ClusterOptions {
  readonly file: string;
  readonly output: OutputFormat;
  readonly accept: WrittenAcceptances;
  /** File to save the plan in. */
  readonly out?: string;
}

/** Observes the cluster and the cloud with the caller's credentials and prints what an upgrade would do. Changes nothing. */
export async function planCommand(options: PlanOptions): Promise<ExitCode> {
  const policy = withAccepted(readPolicyFile(options.file), options.accept);
  // Loaded once the policy is known to be valid: the clouds' SDKs take half a second of CPU.
  const { makePlan } = await import('../make-plan.ts');
  const plan = await makePlan(policy, options);
  printData(options.output, plan, () => renderPlan(plan, styleFor(process.stdout)).join('\n'));
  const refused = refusal(plan);
  if (!refused) {
    if (options.out === undefined) return exitCodes.ok;
    savePlan(options.out, plan);
    printProgress(`Saved. To start exactly this: nodeferry upgrade ${options.out}`);
    return exitCodes.ok;
  }
  printProgress(formatProblem(refused));
  return exitCodes.failed;
}
