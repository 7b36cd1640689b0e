import { hostnameLabel } from '../../model/labels.ts';
import { listNames } from '../../text/format.ts';
import type { PodSurgeRule } from './rule.ts';

/** A pod that tolerates none like itself in its zone keeps its replacement out of that zone; on another node it would not. */
export const topology: PodSurgeRule = ({ keepsApartBy = [] }) => {
  const wider = keepsApartBy.filter((key) => key !== hostnameLabel);
  if (wider.length === 0) return undefined;
  return {
    reason: `its required anti-affinity allows none like it in the same ${listNames(wider)}, and the new node is there too`,
    hint: 'Prefer to be apart instead of requiring it, or require it by kubernetes.io/hostname.',
  };
};
