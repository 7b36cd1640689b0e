import { indexOf } from '../../model/cluster-index.ts';
import { listNames } from '../../text/format.ts';
import type { AuditRule } from './rule.ts';

/** INF-016: Windows nodes. Nothing here depends on the operating system of a node as far as is known, but nobody has tried it. */
export const inf016WindowsNodes: AuditRule = ({ facts, nodes }) => {
  const index = indexOf(facts.cluster);
  const names = nodes
    .filter(({ name }) => index.nodes.get(name)?.labels['kubernetes.io/os'] === 'windows')
    .map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    {
      rule: 'INF-016',
      severity: 'warning',
      subject: `node ${listNames(names)}`,
      message: 'it is a Windows node, and nodeferry has been tried on Linux only',
      hint: 'Try with a pool that may lose requests first.',
    },
  ];
};
