import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';

import type { VolumeClaimFacts, VolumeClaimRef } from '../../core/model/volume.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import type { Connection } from './connection.ts';
import { answerError } from './errors.ts';

const operation = { resource: 'persistentVolumeClaims', verb: 'get' } as const;

/** Reads volume claims one by one on request: they are few, and rarely needed. */
export function volumeOperation(connection: Connection): Pick<Cluster, 'readVolumeClaims'> {
  return {
    readVolumeClaims: async (volumeClaims) => {
      const found = await Promise.all(volumeClaims.map((volumeClaim) => readVolumeClaim(connection, volumeClaim)));
      return found.filter((volumeClaim) => volumeClaim !== undefined);
    },
  };
}

async function readVolumeClaim(
  connection: Connection,
  { namespace, name }: VolumeClaimRef,
): Promise<VolumeClaimFacts | undefined> {
  const answer = await connection.request({ ...operation, namespace, name });
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw answerError(answer, operation);
  const { volumeName, accessModes = [] } = (answer.body as V1PersistentVolumeClaim).spec ?? {};
  const volume = volumeName === '' ? undefined : volumeName;
  const isShared = accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
  return { namespace, name, volume, isShared };
}
