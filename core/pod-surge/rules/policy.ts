import { podSurgeTermsOf } from '../../policy/policy.ts';
import { workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/** Whose pods may run twice for a while is the owners' to say. */
export const policyAllows: PodSurgeRule = (pod, { cluster, policy }) => {
  const workload = workloadOf(pod, cluster);
  const { mode, max: surplus } = podSurgeTermsOf(policy, workload);
  if (mode !== 'off' && surplus !== 0) return undefined;
  const key = workload === undefined ? undefined : `${workload.namespace}/${workload.name}`;
  const field = `spec.podSurge${key === undefined ? '' : `.workloads['${key}']`}`;
  if (mode === 'off')
    return { reason: `the policy does not hand ${key ?? 'it'} over`, hint: `Set mode auto in ${field}.` };
  return { reason: 'the policy allows it no pod beyond its replicas', hint: `Raise surplus in ${field}.` };
};
