import type { NodeFacts } from '../../core/model/node.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { listNames } from '../../core/text/format.ts';
import { parseSelector } from './parse-selector.ts';

/** Which nodes are meant: exactly one of the three. */
export interface NodeChoice {
  readonly names: readonly string[];
  readonly selector: string | undefined;
  readonly pool: string | undefined;
}

/** Nodes of one pool. */
interface SelectedNodes {
  readonly pool: string;
  readonly nodes: readonly { readonly name: string; readonly uid: string }[];
}

/** The pool of nodes that belong to none. */
const noPool = 'no-pool';

/**
 * Finds the nodes that are meant. A run belongs to one pool, so that nothing else changes the pool meanwhile; nodes of several are refused.
 * @throws NodeferryError InvalidArgument
 */
export function selectNodes(nodes: readonly NodeFacts[], choice: NodeChoice): SelectedNodes {
  const chosen = choose(nodes, choice);
  const [first, ...others] = [...Map.groupBy(chosen, ({ pool }) => pool ?? noPool)];
  if (first === undefined) throw invalid('no node matches', 'kubectl get nodes --show-labels lists them.');
  if (others.length > 0) {
    const groups = [first, ...others].map(([pool, own]) => `${pool}: ${listNames(own.map(({ name }) => name))}`);
    throw invalid(
      `the nodes belong to several pools (${groups.join('; ')})`,
      'Drain the nodes of one pool at a time; several drains can run together.',
    );
  }
  const [pool, own] = first;
  return { pool, nodes: own.map(({ name, uid }) => ({ name, uid })) };
}

function choose(nodes: readonly NodeFacts[], { names, selector, pool }: NodeChoice): readonly NodeFacts[] {
  if ([names.length > 0, selector !== undefined, pool !== undefined].filter(Boolean).length !== 1)
    throw invalid(
      'either nodes, a selector or a pool must be named',
      'For example: nodeferry drain ip-10-0-1-11.ec2.internal',
    );
  if (pool !== undefined) return nodes.filter((node) => (node.pool ?? noPool) === pool);
  if (selector !== undefined) return bySelector(nodes, selector);
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const unknown = names.filter((name) => !byName.has(name));
  if (unknown.length > 0)
    throw invalid(
      `not in the cluster: ${listNames(unknown)}`,
      'kubectl get nodes lists the names. See --context for other clusters.',
    );
  return [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
}

function bySelector(nodes: readonly NodeFacts[], selector: string): readonly NodeFacts[] {
  const matches = parseSelector(selector);
  if (matches === undefined)
    throw invalid(
      `the selector "${selector}" can't be read`,
      "Write it as for kubectl: 'role=web,zone!=b', 'role in (a,b)', '!spot'.",
    );
  return nodes.filter(({ labels }) => matches(labels));
}

function invalid(why: string, hint: string): NodeferryError {
  return new NodeferryError({ code: 'InvalidArgument', message: `Nothing was drained: ${why}.`, hint });
}
