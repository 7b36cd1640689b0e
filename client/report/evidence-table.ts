import type { NodeStatus, RunReport } from '../../core/status/status.ts';
import type { EvidenceColumn } from '../../core/steps/derive.ts';
import { columns } from '../../core/steps/steps.ts';

/** When each step of each node was observed, in seconds after the start of the run. Columns that no node needs are left out. */
interface EvidenceTable {
  readonly titles: readonly string[];
  /** A row for each node, in the order of the nodes. */
  readonly rows: readonly (readonly string[])[];
}

/** Lists the moments of each node. */
export function evidenceTable(
  { nodes, startedAt }: Pick<RunReport, 'nodes' | 'startedAt'>,
  all: readonly EvidenceColumn[] = columns,
): EvidenceTable {
  const seen = new Set<string>(nodes.flatMap(({ evidence }) => evidence.map(({ kind }) => kind)));
  const shown = all.filter(({ kind, onlyWhenSeen }) => onlyWhenSeen !== true || seen.has(kind));
  return {
    titles: shown.map(({ title }) => title),
    rows: nodes.map((node) => shown.map(({ kind }) => moment(node, kind, startedAt))),
  };
}

function moment(node: NodeStatus, kind: string, startedAt: number): string {
  const found = node.evidence.findLast((evidence) => evidence.kind === kind);
  return found ? `+${((found.at - startedAt) / 1000).toFixed(1)}s` : '-';
}
