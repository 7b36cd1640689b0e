import { handOverTermsOf } from '../../policy/policy.ts';
import { workloadOf } from '../surplus.ts';
import type { HandOverRule } from './rule.ts';

/** Whose pods may run twice for a while is the owners' to say. */
export const policyAllows: HandOverRule = (pod, { cluster, policy }) => {
  const workload = workloadOf(pod, cluster);
  const { mode, surplus } = handOverTermsOf(policy, workload);
  if (mode !== 'off' && surplus !== 0) return undefined;
  const key = workload === undefined ? undefined : `${workload.namespace}/${workload.name}`;
  const field = `spec.handOver${key === undefined ? '' : `.workloads['${key}']`}`;
  if (mode === 'off')
    return { reason: `the policy does not hand ${key ?? 'it'} over`, hint: `Set mode auto in ${field}.` };
  return { reason: 'the policy allows it no pod beyond its replicas', hint: `Raise surplus in ${field}.` };
};
