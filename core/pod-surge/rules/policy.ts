import { podSurgeTermsOf } from '../../policy/policy.ts';
import { workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/** The policy decides which workloads may have additional pods for a while. */
export const policyAllows: PodSurgeRule = (pod, { cluster, policy }) => {
  const workload = workloadOf(pod, cluster);
  const { mode, max } = podSurgeTermsOf(policy, workload);
  if (mode !== 'off' && max !== 0) return undefined;
  const key = workload === undefined ? undefined : `${workload.namespace}/${workload.name}`;
  const field = `spec.podSurge${key === undefined ? '' : `.workloads['${key}']`}`;
  if (mode === 'off')
    return { reason: `the policy switches pod surge off for ${key ?? 'it'}`, hint: `Set mode auto in ${field}.` };
  return { reason: 'the policy allows it no pod above its replicas', hint: `Raise max in ${field}.` };
};
