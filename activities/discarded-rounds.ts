import type { CandidateQuestion } from '../core/guard/select-candidate.ts';
import type { NodeFacts } from '../core/model/node.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Fence } from './fence.ts';

/** Whose rounds they are, and how many of each node the run knows. */
type KnownRounds = Pick<CandidateQuestion, 'rounds'> & { readonly run: string };

/**
 * Removes the fence of a node that is excluded if a round has left it that a reset of the run has discarded: rounds begin anew then, and its next steps
 * could not fence it. That of a round that the run knows stays until they do, because it keeps attempts of that round away.
 */
export async function removeDiscardedFence(
  cluster: Pick<Fencing, 'unfenceNode'>,
  seen: NodeFacts | undefined,
  { run, rounds = {} }: KnownRounds,
  fence: Fence,
): Promise<void> {
  const left = seen?.ownership.fence;
  if (seen === undefined || left?.run !== run || left.round <= (rounds[seen.name] ?? 0)) return;
  await fence.check();
  await cluster.unfenceNode(seen, run);
}
