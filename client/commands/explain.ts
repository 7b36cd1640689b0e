import { NodeferryError } from '../../core/model/problem.ts';
import { printable } from '../../core/text/printable.ts';
import { findTopic, suggestTopic, type Topic } from '../explain/topics.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { type OutputFormat, printData } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { parseNamedRun } from '../run-target.ts';
import { renderTopic } from '../view/topic.ts';

/** Options of `explain`. */
interface ExplainOptions {
  readonly output: OutputFormat;
  /** Which run of the pool; only for a run. */
  readonly run?: string;
}

/**
 * Explains a rule, a field of a policy, a problem code or an exit code, without any server; or why a run waits.
 * @throws NodeferryError InvalidArgument for a name that stands for nothing, with the one that was most likely meant
 */
export async function explainCommand(name: string, options: ExplainOptions): Promise<ExitCode> {
  const topic = findTopic(name);
  if (topic === undefined && name.includes('/')) {
    const { explainRunCommand } = await import('./explain-run.ts');
    return await explainRunCommand(parseNamedRun(name, options.run), options);
  }
  if (options.run !== undefined)
    throw new NodeferryError({
      code: 'InvalidArgument',
      message: `--run belongs to a run, and ${printable(name)} does not name one.`,
      hint: 'Write: nodeferry explain CLUSTER/POOL --run ID',
    });
  const found: Topic = topic ?? failFor(name);
  printData(options.output, found, () => renderTopic(found, styleFor(process.stdout)).join('\n'));
  return exitCodes.ok;
}

function failFor(name: string): never {
  const suggestion = suggestTopic(name);
  throw new NodeferryError({
    code: 'InvalidArgument',
    message:
      `There is nothing to explain about ${printable(name)}.` +
      (suggestion === undefined ? '' : ` Did you mean ${suggestion}?`),
    hint: 'Give a rule (WKL-003), a field of a policy (spec.guard.minServing), a problem code (LockHeld), an exit code (69), or a run (CLUSTER/POOL).',
  });
}
