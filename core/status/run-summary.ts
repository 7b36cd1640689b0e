import { isInPlace } from '../policy/members.ts';
import type { Policy } from '../policy/policy.ts';
import { count } from '../text/format.ts';

/** One line for lists: the pool, and what replaces it. */
export function upgradeSummary({
  cluster,
  pool,
  target,
  selection,
}: Pick<Policy, 'cluster' | 'pool' | 'target' | 'selection'>): string {
  if (selection !== undefined) return `${cluster.name}/${pool.name}: drain ${count(selection.nodes.length, 'node')}`;
  if (isInPlace({ pool, target })) return `${cluster.name}/${pool.name}: in place`;
  return `${cluster.name}/${pool.name} → ${target.poolName}`;
}

/** What somebody who finds the run in the web UI has to know, in Markdown: commands, and which button does harm. */
export function upgradeDetails({ cluster, pool }: Pick<Policy, 'cluster' | 'pool'>): string {
  const name = `${cluster.name}/${pool.name}`;
  return [
    `What it does and waits for: \`nodeferry status ${name}\`, \`nodeferry explain ${name}\`, \`nodeferry events ${name} -f\``,
    `To stop it: \`nodeferry pause ${name} --reason WHY\`, or \`abort\` or \`rollback\` in place of \`pause\``,
    '*Request Cancellation* aborts it too, and restores everything. Do not terminate it: a terminated run restores nothing.',
  ].join('\n\n');
}
