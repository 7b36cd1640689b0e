import { hostnameLabel, nodegroupLabel } from '../../model/labels.ts';
import type { PodFacts } from '../../model/pod.ts';
import { hasRequiredLabels } from '../../model/required-labels.ts';
import { listNames } from '../../text/format.ts';
import type { Finding } from '../finding.ts';
import { groupByWorkload } from './per-workload.ts';
import { type AuditRule, podsToMove } from './rule.ts';

/** Labels whose values a new node can never share with an old one. */
const ownLabels: readonly string[] = [
  hostnameLabel,
  'eks.amazonaws.com/nodegroup-image',
  'eks.amazonaws.com/sourceLaunchTemplateVersion',
];

/**
 * WKL-019: pods that can run on the old nodes only. Their replacements would never be scheduled, and everything that their budgets count would
 * wait with them.
 */
export const wkl019PinnedToOldNodes: AuditRule = (question) => {
  const { target, selection, pool } = question.policy;
  const { poolName } = target;
  const staying = question.facts.cluster.nodes.filter((node) => node.pool !== pool.name && !node.cordoned);
  return groupByWorkload('WKL-019', podsToMove(question), (pod) => {
    if (pod.ownerKind === 'DaemonSet' || pod.mirror) return undefined;
    if (selection !== undefined)
      return staying.some((node) => hasRequiredLabels(node, pod)) ? undefined : pinnedToDrained(pod);
    const pinnedBy = [
      ...ownLabels.filter((label) => pod.requiredNodeLabels?.[label] !== undefined),
      ...(allowsGroup(pod, poolName) ? [] : [nodegroupLabel]),
    ];
    if (pinnedBy.length === 0) return undefined;
    return {
      severity: 'blocker',
      message: `its node selector or affinity needs ${listNames(pinnedBy.map((label) => describe(pod, label)))}, which no new node has`,
      hint: `Select nodes by a label of your own that the node group carries, or allow ${poolName} as well; then plan again.`,
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

function allowsGroup(pod: PodFacts, group: string): boolean {
  const groups = pod.requiredNodeLabels?.[nodegroupLabel];
  return groups === undefined || groups.includes(group);
}

function describe(pod: PodFacts, label: string): string {
  return `${label}=${pod.requiredNodeLabels?.[label]?.join('|') ?? ''}`;
}
