import { ApplicationFailure } from '@temporalio/activity';

/** A hook for after each step, which loses the first response of each (of each node, where it concerns one). */
export function losingEachAnswer(): (step: string, args: readonly unknown[]) => void {
  const done = new Set<string>();
  return (step, [input]) => {
    const node = (input as { node?: { name: string } }).node?.name ?? '';
    if (step === 'monitorRun' || done.has(step + node)) return;
    done.add(step + node);
    throw ApplicationFailure.retryable('the worker died before it could answer');
  };
}
