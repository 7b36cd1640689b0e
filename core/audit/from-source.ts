import { indexOf } from '../model/cluster-index.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { type AuditedObject, formatObject, type Violation } from './rule.ts';

/** A fix of an object that a tool writes from a source, such as a repository: the tool would take back what a command changes. */
export function fixAtSource<T extends Violation>(violation: T, cluster: ClusterFacts): T {
  const { object, fix } = violation;
  const changesObject = fix.commands?.some((command) => command.startsWith('kubectl ')) === true;
  const tool = changesObject ? writerOf(object, cluster) : undefined;
  if (tool === undefined) return violation;
  const text = `${fix.text} ${tool} writes ${formatObject(object)}: change it in its source too, or the command is undone.`;
  return { ...violation, fix: { ...fix, text } };
}

function writerOf(object: AuditedObject, cluster: ClusterFacts): string | undefined {
  const { kind, namespace = '', name } = object;
  const index = indexOf(cluster);
  if (kind === 'Service') return index.service(`${namespace}/${name}`)?.writtenBy;
  if (kind !== 'PodDisruptionBudget') return index.workload(formatObject(object))?.writtenBy;
  return cluster.budgets.find((budget) => budget.namespace === namespace && budget.name === name)?.writtenBy;
}
