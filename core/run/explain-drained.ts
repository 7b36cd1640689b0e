import { disruptedTaint } from '../model/labels.ts';
import type { NodeRef } from '../model/node.ts';
import { listNames } from '../text/format.ts';

/** What a drain leaves behind on purpose, and how to use such a node again. */
export function explainDrained(nodes: readonly Pick<NodeRef, 'name'>[]): string {
  const names = nodes.map(({ name }) => name);
  const node = names.length === 1 ? (names[0] ?? '') : 'NODE';
  return (
    `${listNames(names, 10)}: drained; stays cordoned and excluded from load balancers until you remove the instance. To use it again: ` +
    `kubectl taint node ${node} ${disruptedTaint}-; kubectl label node ${node} node.kubernetes.io/exclude-from-external-load-balancers-; kubectl uncordon ${node}`
  );
}
