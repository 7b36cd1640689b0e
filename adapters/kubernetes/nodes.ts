import type { V1Node } from '@kubernetes/client-node';

import { hasClaim, mayClaim } from '../../core/model/claim.ts';
import type { NodeClaim, NodeRef } from '../../core/model/node.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Caches } from './caches.ts';
import { changeObject, type Decision, deleteObject } from './change.ts';
import type { Connection } from './connection.ts';
import { excludesNode, marksOf } from './map-node.ts';
import {
  claimAnnotation,
  cordonedByAnnotation,
  excludedByAnnotation,
  excludeLabel,
  formatClaim,
  retiringByAnnotation,
  retiringTaint,
} from './marks.ts';

/** The operations on nodes. Every mark and what it stands for change in one patch, so that neither is ever alone. */
export type NodeOperations = Pick<
  Cluster,
  | 'cordon'
  | 'uncordon'
  | 'exclude'
  | 'include'
  | 'claimNode'
  | 'unclaimNode'
  | 'requireClaim'
  | 'taintRetiring'
  | 'untaintRetiring'
  | 'deleteNode'
>;

/** Makes the operations on nodes. */
export function nodeOperations(access: { readonly connection: Connection; readonly caches: Caches }): NodeOperations {
  const change = <T>(node: NodeRef, decide: (object: V1Node) => Decision<T>) =>
    changeObject<V1Node, T>(access, 'nodes', { name: node.name, uid: node.uid }, decide);
  return {
    cordon: (node, run) => change(node, (object) => decideCordon(object, run)),
    uncordon: (node, run) => change(node, (object) => decideUncordon(object, run)),
    exclude: (node, run) => change(node, (object) => decideExclude(object, run)),
    include: (node, run) => change(node, (object) => decideInclude(object, run)),
    claimNode: (node, claim) => change(node, (object) => decideClaim(object, claim)),
    unclaimNode: (node, run) => change(node, (object) => decideUnclaim(object, run)),
    requireClaim: async (node, claim) => {
      const held = await change<boolean>(node, (object) => ({ outcome: hasClaim(claim, marksOf(object).claim) }));
      if (held === false) throw superseded(node);
    },
    taintRetiring: (node, run) => change(node, (object) => decideTaint(object, run)),
    untaintRetiring: (node, run) => change(node, (object) => decideUntaint(object, run)),
    deleteNode: (node) => deleteObject(access, 'nodes', { name: node.name, uid: node.uid }),
  };
}

function decideCordon(node: V1Node, run: string): Decision<'done' | 'already'> {
  const mine = marksOf(node).cordonedBy === run;
  if (node.spec?.unschedulable === true) return { outcome: mine ? 'done' : 'already' };
  return {
    outcome: 'done',
    patch: { metadata: { annotations: { [cordonedByAnnotation]: run } }, spec: { unschedulable: true } },
  };
}

function decideUncordon(node: V1Node, run: string): Decision<'done' | 'not-ours'> {
  if (marksOf(node).cordonedBy !== run) return { outcome: 'not-ours' };
  return {
    outcome: 'done',
    patch: { metadata: { annotations: { [cordonedByAnnotation]: null } }, spec: { unschedulable: null } },
  };
}

function decideExclude(node: V1Node, run: string): Decision<'done' | 'already'> {
  const value = node.metadata?.labels?.[excludeLabel];
  const mine = marksOf(node).excludedBy === run;
  if (value !== undefined && !mine) {
    if (excludesNode(value)) return { outcome: 'already' };
    throw new NodeferryError({
      code: 'NodeNotOurs',
      message: `Node ${node.metadata?.name} carries the label ${excludeLabel}=${value} of somebody else, which keeps it in load balancers`,
      hint: `Remove the label: kubectl label node ${node.metadata?.name} ${excludeLabel}-`,
    });
  }
  if (value === 'true' && mine) return { outcome: 'done' };
  return {
    outcome: 'done',
    patch: { metadata: { labels: { [excludeLabel]: 'true' }, annotations: { [excludedByAnnotation]: run } } },
  };
}

function decideInclude(node: V1Node, run: string): Decision<'done' | 'not-ours'> {
  if (marksOf(node).excludedBy !== run) return { outcome: 'not-ours' };
  return {
    outcome: 'done',
    patch: { metadata: { labels: { [excludeLabel]: null }, annotations: { [excludedByAnnotation]: null } } },
  };
}

function decideClaim(node: V1Node, claim: NodeClaim): Decision<'done' | 'superseded'> {
  const current = marksOf(node).claim;
  if (hasClaim(claim, current)) return { outcome: 'done' };
  if (!mayClaim(claim, current)) return { outcome: 'superseded' };
  return { outcome: 'done', patch: { metadata: { annotations: { [claimAnnotation]: formatClaim(claim) } } } };
}

function decideUnclaim(node: V1Node, run: string): Decision<'done' | 'not-ours'> {
  if (marksOf(node).claim?.run !== run) return { outcome: 'not-ours' };
  return { outcome: 'done', patch: { metadata: { annotations: { [claimAnnotation]: null } } } };
}

function superseded(node: NodeRef): NodeferryError {
  return new NodeferryError({
    code: 'Superseded',
    message: `${node.name} is acted on by a later attempt, or was put back; this attempt stops`,
    hint: 'Nothing to do: a worker that was cut off came back after its work had been given to another.',
  });
}

function decideTaint(node: V1Node, run: string): Decision<'done'> {
  const taints = node.spec?.taints ?? [];
  const tainted = taints.some(({ key, effect }) => key === retiringTaint && effect === 'NoSchedule');
  if (tainted && marksOf(node).retiringBy === run) return { outcome: 'done' };
  const others = taints.filter(({ key }) => key !== retiringTaint);
  return {
    outcome: 'done',
    patch: {
      metadata: { annotations: { [retiringByAnnotation]: run } },
      spec: { taints: [...others, { key: retiringTaint, value: run, effect: 'NoSchedule' }] },
    },
  };
}

function decideUntaint(node: V1Node, run: string): Decision<'done' | 'not-ours'> {
  if (marksOf(node).retiringBy !== run) return { outcome: 'not-ours' };
  const others = (node.spec?.taints ?? []).filter(({ key }) => key !== retiringTaint);
  return {
    outcome: 'done',
    patch: {
      metadata: { annotations: { [retiringByAnnotation]: null } },
      spec: { taints: others.length === 0 ? null : others },
    },
  };
}
