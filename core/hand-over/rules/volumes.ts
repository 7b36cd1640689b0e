import { listNames } from '../../text/format.ts';
import type { HandOverRule } from './rule.ts';

/** A volume that one node at a time may mount can't be mounted by the replacement while the pod has it. */
export const volumes: HandOverRule = (pod, { sharedClaims }) => {
  const { claims = [] } = pod;
  if (claims.length === 0) return undefined;
  const { namespace, ownClaims = [] } = pod;
  const single = claims.filter((claim) => !sharedClaims.has(`${namespace}/${claim}`) && !ownClaims.includes(claim));
  if (single.length === 0) return undefined;
  return {
    reason: `its volume of ${listNames(single)} is for one node at a time`,
    hint: 'A volume with access mode ReadWriteMany would let a replacement start beside it.',
  };
};
