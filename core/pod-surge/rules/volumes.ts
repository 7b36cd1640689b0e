import { localVolumesOf } from '../../eviction/local-volumes.ts';
import { listNames } from '../../text/format.ts';
import type { PodSurgeRule } from './rule.ts';

/** A volume that one node at a time may mount, or that is on its node, can't be mounted by the replacement while the pod has it. */
export const volumes: PodSurgeRule = (pod, { cluster, sharedVolumeClaims }) => {
  const { volumeClaims = [] } = pod;
  if (volumeClaims.length === 0) return undefined;
  const [local] = localVolumesOf(pod, cluster);
  if (local !== undefined) return { reason: `its volume ${local.volume} is on its node (${local.boundBy})` };
  const { namespace, ownVolumeClaims = [] } = pod;
  const single = volumeClaims.filter(
    (volumeClaim) => !sharedVolumeClaims.has(`${namespace}/${volumeClaim}`) && !ownVolumeClaims.includes(volumeClaim),
  );
  if (single.length === 0) return undefined;
  return {
    reason: `its volume of ${listNames(single)} is for one node at a time`,
    hint: 'A volume with access mode ReadWriteMany would let a replacement start beside it.',
  };
};
