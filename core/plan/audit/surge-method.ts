import { fitsAlone } from '../../pod-surge/select-batch.ts';
import type { Policy } from '../../policy/policy.ts';
import { simulateBatches } from '../simulate-batches.ts';
import type { AuditQuestion } from './rule.ts';

/** What to write into the policy so that pods are replaced before they leave, if that lets every node leave. Undefined when it does not. */
export function findSurgeMethod({ policy, facts, baselines, nodes }: AuditQuestion): string | undefined {
  const guard = { ...policy.guard, maxInFlight: nodes.length };
  const doubled: Policy = { ...policy, guard, podSurge: { mode: 'auto', max: 1, workloads: {} } };
  if (simulateBatches({ facts, policy: doubled, baselines, nodes }).stuck.length > 0) return undefined;
  const frugal: Policy = { ...policy, podSurge: { mode: 'auto', max: 'maxSurge', workloads: {} } };
  const context = { cluster: facts.cluster, policy: frugal, sharedVolumeClaims: new Set<string>() };
  return nodes.every((node) => fitsAlone(node, context))
    ? 'Or have pods replaced before they leave (spec.podSurge.mode: auto): costs as many additional pods as a rollout starts, for some minutes.'
    : 'Or have pods replaced before they leave (spec.podSurge.mode: auto, max: 100%): costs every pod twice for some minutes.';
}
