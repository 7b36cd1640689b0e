import { localVolumesOf } from '../../drain/local-volumes.ts';
import { listNames } from '../../text/format.ts';
import type { HandOverRule } from './rule.ts';

/** A volume that one node at a time may mount, or that is on its node, can't be mounted by the replacement while the pod has it. */
export const volumes: HandOverRule = (pod, { cluster, sharedClaims }) => {
  const { claims = [] } = pod;
  if (claims.length === 0) return undefined;
  const [local] = localVolumesOf(pod, cluster);
  if (local !== undefined) return { reason: `its volume ${local.volume} is on its node (${local.boundBy})` };
  const { namespace, ownClaims = [] } = pod;
  const single = claims.filter((claim) => !sharedClaims.has(`${namespace}/${claim}`) && !ownClaims.includes(claim));
  if (single.length === 0) return undefined;
  return {
    reason: `its volume of ${listNames(single)} is for one node at a time`,
    hint: 'A volume with access mode ReadWriteMany would let a replacement start beside it.',
  };
};
