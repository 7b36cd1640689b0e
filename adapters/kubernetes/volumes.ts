import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';

import type { Cluster } from '../../ports/cluster.ts';
import type { Connection } from './connection.ts';
import { answerError } from './errors.ts';

const operation = { resource: 'persistentVolumeClaims', verb: 'get' } as const;

/** Makes the question for the volumes of claims. They are read one by one when they are asked for: few are, and seldom. */
export function volumeOperation(connection: Connection): Pick<Cluster, 'findVolumes'> {
  return {
    findVolumes: async (claims) => {
      const volumes = await Promise.all(
        claims.map(async ({ namespace, name }) => {
          const answer = await connection.request({ ...operation, namespace, name });
          if (answer.status === 404) return undefined;
          if (answer.status !== 200) throw answerError(answer, operation);
          return (answer.body as V1PersistentVolumeClaim).spec?.volumeName;
        }),
      );
      return volumes.flatMap((volume) => (volume === undefined || volume === '' ? [] : [volume]));
    },
  };
}
