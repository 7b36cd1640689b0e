import type { V1Namespace } from '@kubernetes/client-node';
import { once } from '../calls/once.ts';
import type { Connection } from './connection.ts';
import { answerError } from './errors.ts';

const operation = { resource: 'namespaces', verb: 'get' } as const;

/**
 * What tells one cluster from another: the UID of its namespace `kube-system`, which the API server creates itself and lets nobody delete
 * (kubernetes, pkg/controlplane/controller/systemnamespaces and plugin/pkg/admission/namespace/lifecycle). Read once. Undefined where it can't be read.
 */
export function clusterUid(connection: Connection): () => Promise<string | undefined> {
  return once(async () => {
    const answer = await connection.request({ ...operation, name: 'kube-system' });
    if (answer.status === 403 || answer.status === 404) return undefined;
    if (answer.status !== 200) throw answerError(answer, operation);
    return (answer.body as V1Namespace).metadata?.uid;
  });
}
