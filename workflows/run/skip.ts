/** Skips nodes: they are restored if something was done to them, and stay in the old pool. */
import { condition } from '@temporalio/workflow';
import type { Asked } from '../../core/run/events.ts';
import { mustRollBack } from '../../core/run/rollback.ts';
import { cordonedOf, whyNotSkip } from '../../core/run/skip.ts';
import { because } from '../../core/status/because.ts';
import type { SkipAnswer } from '../node-messages.ts';
import type { SkipRequest } from './handles.ts';
import { apply, applyAndPublish, nextStep, type Run, runUntilDone } from './run.ts';
import { steps } from './steps.ts';
import { tell } from './tell.ts';

/** Who wants which node to be skipped, and why. */
type SkipQuestion = Asked & { readonly node: string };

/** Why the node can't be skipped, as far as the run knows, as text; undefined when it can. */
export function refusalOfSkip({ state, handles }: Run, question: Partial<SkipQuestion>): string | undefined {
  const { node = '', reason = '' } = question;
  const asked = handles.skips[node];
  if (asked !== undefined) return `${node} is being skipped by ${because(asked)}`;
  return whyNotSkip(state, { node, reason });
}

/**
 * Skips a node. A node in progress is asked first, because only its own workflow knows whether its instance is being terminated; it answers
 * at once. Returns why the node can't be skipped any more, as text; undefined when it is skipped.
 */
export async function skipNode(run: Run, question: SkipQuestion): Promise<string | undefined> {
  const { node: name } = question;
  const { nodes, skips } = run.handles;
  for (;;) {
    const child = nodes[name];
    if (child === undefined) {
      const refused = whyNotSkip(run.state, question);
      if (refused === undefined) applyAndPublish(run, { type: 'skip', ...question });
      return refused;
    }
    const request: SkipRequest = { ...question, answer: undefined };
    skips[name] = request;
    tell(async () => await child.skip(reasonOf(question)));
    await condition(() => request.answer !== undefined || nodes[name] !== child);
    if (skips[name] === request) delete skips[name];
    if (request.answer !== undefined) return request.answer.refusedBecause;
  }
}

/** The workflow of a node says whether the node is skipped. It counts at once: the workflow may end in the same moment. */
export function recordSkipAnswer(run: Run, answer: SkipAnswer): void {
  const request = run.handles.skips[answer.node];
  if (request === undefined) return;
  const { answer: _none, ...question } = request;
  request.answer = answer;
  if (answer.refusedBecause === undefined) applyAndPublish(run, { type: 'skip', ...question });
}

/** Why a skipped node is restored, as text. */
export function reasonOf(skipped: Parameters<typeof because>[0]): string {
  return `it is skipped by ${because(skipped)}`;
}

/**
 * Restores what is left of skipped nodes: released pods whose replacements do not serve return to their ReplicaSets, and pods may come to the
 * nodes again. The other released pods serve on, beside their replacements, and return when the new nodes that are too many are removed.
 */
export async function restoreSkipped(run: Run): Promise<void> {
  for (let left = cordonedOf(run.state); left.length > 0; left = cordonedOf(run.state)) {
    const nodes = left;
    if (mustRollBack(run.state, 'released'))
      await runUntilDone(run, 'pods of skipped nodes to be adopted', () =>
        steps('adopt pods of skipped nodes').adoptPods({ ...nextStep(run), nodes }),
      );
    await runUntilDone(run, 'skipped nodes to be uncordoned', () =>
      steps('uncordon skipped nodes').uncordonNodes({ ...nextStep(run), nodes }),
    );
    apply(run, { type: 'recordUncordoned', nodes });
  }
}
