import { hostnameLabel } from '../../model/labels.ts';
import { listNames } from '../../text/format.ts';
import type { PodSurgeRule } from './rule.ts';

/** Anti-affinity by zone keeps the replacement of a pod out of its zone. Anti-affinity by host does not, because it starts on another node. */
export const topology: PodSurgeRule = ({ keepsApartBy = [] }) => {
  const wider = keepsApartBy.filter((key) => key !== hostnameLabel);
  if (wider.length === 0) return undefined;
  return {
    reason: `its required anti-affinity allows no second pod in the same ${listNames(wider)}, and the new node is there too`,
    hint: 'Use preferred anti-affinity, or require it by kubernetes.io/hostname.',
  };
};
