import { hostnameLabel } from '../../model/labels.ts';
import type { PodFacts } from '../../model/pod.ts';
import { hasRequiredLabels } from '../../model/required-labels.ts';
import { takesPod } from '../../model/takes-pod.ts';
import { newNodes, oldNodes } from '../../policy/members.ts';
import { listNames } from '../../text/format.ts';
import type { Finding } from '../finding.ts';
import { nodesThatStay } from '../zones-that-stay.ts';
import { groupByWorkload } from './per-workload.ts';
import { type AuditRule, podsToMove } from './rule.ts';

/**
 * WKL-019: pods that can run on the old nodes only. Their replacements would never be scheduled, and everything that their budgets count would
 * wait with them.
 */
export const wkl019PinnedToOldNodes: AuditRule = (question) => {
  const { policy, facts } = question;
  const { target, selection } = policy;
  const { poolName } = target;
  // All nodes of a pool have the same provider.
  const poolLabels = oldNodes(facts.cluster, policy)[0]?.poolLabels;
  const ownLabels = [hostnameLabel, ...(poolLabels?.others ?? [])];
  const staying = nodesThatStay(facts.cluster, policy);
  const adopted = policy.adoptTarget === true ? newNodes(facts.cluster, policy) : [];
  return groupByWorkload('WKL-019', podsToMove(question), (pod) => {
    if (pod.ownerKind === 'DaemonSet' || pod.mirror) return undefined;
    if (selection !== undefined)
      return staying.some((node) => hasRequiredLabels(node, pod)) ? undefined : pinnedToDrained(pod);
    if (adopted.length > 0)
      return adopted.some((node) => takesPod(node, pod)) ? undefined : fitsNoAdopted(pod, poolName);
    const pinnedBy = [
      ...ownLabels.filter((label) => pod.requiredNodeLabels?.[label] !== undefined),
      ...(poolLabels === undefined || allowsPool(pod, poolLabels.name, poolName) ? [] : [poolLabels.name]),
    ];
    if (pinnedBy.length === 0) return undefined;
    return {
      severity: 'blocker',
      message: `its node selector or affinity needs ${listNames(pinnedBy.map((label) => describe(pod, label)))}, which no new node has`,
      hint: `Select nodes by a label of your own that the pool carries, or allow ${poolName} as well; then plan again.`,
    };
  });
};

function pinnedToDrained(pod: PodFacts): Pick<Finding, 'severity' | 'message' | 'hint'> {
  const wanted = Object.keys(pod.requiredNodeLabels ?? {}).map((label) => describe(pod, label));
  return {
    severity: 'blocker',
    message:
      wanted.length === 0
        ? 'no node that takes pods would stay'
        : `its node selector or affinity needs ${listNames(wanted)}, which no node that stays has`,
    hint: 'Add nodes that match, or drain fewer nodes; then try again.',
  };
}

/** Nodes that exist say more than labels that all nodes of a pool are known to have. */
function fitsNoAdopted(pod: PodFacts, poolName: string): Pick<Finding, 'severity' | 'message' | 'hint'> {
  const wanted = Object.keys(pod.requiredNodeLabels ?? {}).map((label) => describe(pod, label));
  return {
    severity: 'blocker',
    message: `no node of ${poolName} takes it: ${wanted.length === 0 ? 'it does not tolerate their taints' : `it needs ${listNames(wanted)}, or does not tolerate their taints`}`,
    hint: `Give the nodes of ${poolName} the labels and taints of the old ones, or change the pod template; then plan again.`,
  };
}

function allowsPool(pod: PodFacts, label: string, name: string): boolean {
  const pools = pod.requiredNodeLabels?.[label];
  return pools === undefined || pools.includes(name);
}

function describe(pod: PodFacts, label: string): string {
  return `${label}=${pod.requiredNodeLabels?.[label]?.join('|') ?? ''}`;
}
