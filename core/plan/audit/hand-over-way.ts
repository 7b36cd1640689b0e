import { fitsAlone } from '../../hand-over/choose-wave.ts';
import type { Policy } from '../../policy/policy.ts';
import { simulateWindows } from '../windows.ts';
import type { AuditQuestion } from './rule.ts';

/** What to write into the policy so that pods are replaced before they leave, if that lets every node go; undefined when it does not. */
export function findHandOverWay({ policy, facts, baselines, nodes }: AuditQuestion): string | undefined {
  const guard = { ...policy.guard, maxInFlight: nodes.length };
  const doubled: Policy = { ...policy, guard, handOver: { mode: 'auto', surplus: 1, workloads: {} } };
  if (simulateWindows({ facts, policy: doubled, baselines, nodes }).stuck.length > 0) return undefined;
  const frugal: Policy = { ...policy, handOver: { mode: 'auto', surplus: 'maxSurge', workloads: {} } };
  const context = { cluster: facts.cluster, policy: frugal, sharedClaims: new Set<string>() };
  return nodes.every((node) => fitsAlone(node, context))
    ? 'Or have pods replaced before they leave (spec.handOver.mode: auto): costs, for some minutes, as many pods more as rollouts start.'
    : 'Or have pods replaced before they leave (spec.handOver.mode: auto, surplus: 100%): costs every pod twice for some minutes.';
}
