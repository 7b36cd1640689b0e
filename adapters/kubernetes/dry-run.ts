import type { V1Pod } from '@kubernetes/client-node';
import type { PodRef } from '../../core/model/pod.ts';
import type { Decision } from './change.ts';
import type { Connection } from './connection.ts';
import { answerError, denialOf, statusOf } from './errors.ts';

/** A placeholder for the run: an annotation with it is never stored. */
export const trialRun = 'trial';

/** The metadata in the patch of a decision. */
type Metadata = NonNullable<NonNullable<Decision<unknown>['patch']>['metadata']>;

/**
 * Makes these patches of a pod as dry runs, one after another. Returns what admission says against the first that it denies. Webhooks that may have
 * side effects refuse every dry run: then nothing is known. @throws NodeferryError
 */
export async function tryPatches(
  connection: Connection,
  { namespace, name, uid }: PodRef,
  decide: (pod: V1Pod) => readonly Metadata[],
): Promise<string | undefined> {
  const target = { resource: 'pods', namespace, name } as const;
  const read = await connection.request({ ...target, verb: 'get' });
  if (read.status === 404) return undefined;
  if (read.status !== 200) throw answerError(read, { resource: 'pods', verb: 'get' });
  const object = read.body as V1Pod;
  if (object.metadata?.uid !== uid) return undefined;
  for (const metadata of decide(object)) {
    const body = { metadata: { ...metadata, uid } };
    const answer = await connection.send({ ...target, verb: 'patch', query: { dryRun: 'All' }, body });
    // The patch is valid: what is not, a webhook has made so.
    const denial = answer.status === 422 ? statusOf(answer).message : denialOf(answer);
    if (denial !== undefined) return denial;
    // Gone or changed since, or a webhook that supports no dry run: nothing is known.
    if (answer.status >= 400 && ![400, 404, 409].includes(answer.status))
      throw answerError(answer, { resource: 'pods', verb: 'patch' });
  }
  return undefined;
}
