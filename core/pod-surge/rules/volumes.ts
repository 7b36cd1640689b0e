import { localVolumesOf } from '../../eviction/local-volumes.ts';
import { listNames } from '../../text/format.ts';
import type { PodSurgeRule } from './rule.ts';

/** A replacement cannot mount a volume that only one node at a time may mount, or that is bound to the node of the old pod. */
export const volumes: PodSurgeRule = (pod, { cluster, sharedVolumeClaims }) => {
  const { volumeClaims = [] } = pod;
  if (volumeClaims.length === 0) return undefined;
  const [local] = localVolumesOf(pod, cluster);
  if (local !== undefined) return { reason: `its volume ${local.volume} is bound to its node (${local.boundBy})` };
  const { namespace, ownVolumeClaims = [] } = pod;
  const single = volumeClaims.filter(
    (volumeClaim) => !sharedVolumeClaims.has(`${namespace}/${volumeClaim}`) && !ownVolumeClaims.includes(volumeClaim),
  );
  if (single.length === 0) return undefined;
  return {
    reason: `only one node at a time can mount its volume of ${listNames(single)}`,
    hint: 'Use a volume with access mode ReadWriteMany.',
  };
};
