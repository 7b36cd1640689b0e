import type { V1Node } from '@kubernetes/client-node';

import { hasFence, mayFence } from '../../core/model/fencing-token.ts';
import { disruptedTaint, excludeLabel } from '../../core/model/labels.ts';
import type { FencingToken, NodeRef } from '../../core/model/node.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Fencing } from '../../ports/cluster/fencing.ts';
import type { NodeActions } from '../../ports/cluster/node-actions.ts';
import { type ChangeAccess, changeObject, type Decision, deleteObject } from './change.ts';
import { answerError } from './errors.ts';
import { excludesNode, ownershipOf } from './map-node.ts';
import {
  cordonedByAnnotation,
  disruptedByAnnotation,
  excludedByAnnotation,
  fenceAnnotation,
  formatToken,
} from './ownership-marks.ts';

/** Creates the actions on nodes. Each annotation of ours and the change that it records are made in one patch, so that neither exists alone. */
export function nodeOperations(access: ChangeAccess): NodeActions {
  const change = openChange(access);
  return {
    cordon: (node, run) => change(node, (object) => decideCordon(object, run)),
    uncordon: (node, run) => change(node, (object) => decideUncordon(object, run)),
    exclude: (node, run) => change(node, (object) => decideExclude(object, run)),
    include: (node, run) => change(node, (object) => decideInclude(object, run)),
    removeOwnershipMarks: (node, run) => change(node, (object) => decideRemoveMarks(object, run)),
    taintDisrupted: (node, run) => change(node, (object) => decideTaint(object, run)),
    untaintDisrupted: (node, run) => change(node, (object) => decideUntaint(object, run)),
    deleteNode: (node) => deleteObject(access, 'nodes', { name: node.name, uid: node.uid }),
  };
}

/** Creates what keeps attempts from acting on nodes that a later one has. */
export function fencingOperations(access: ChangeAccess): Pick<Fencing, 'fenceNode' | 'unfenceNode' | 'requireFence'> {
  const change = openChange(access);
  return {
    fenceNode: (node, fence) => change(node, (object) => decideFence(object, fence)),
    unfenceNode: (node, run) => change(node, (object) => decideUnfence(object, run)),
    requireFence: async (node, fence) => {
      const read = await access.connection.request({ resource: 'nodes', verb: 'get', name: node.name });
      if (read.status === 404) return 'gone';
      if (read.status !== 200) throw answerError(read, { resource: 'nodes', verb: 'get' });
      const object = read.body as V1Node;
      if (object.metadata?.uid !== node.uid) return 'succeeded';
      if (!hasFence(fence, ownershipOf(object).fence)) throw superseded(node);
      return 'held';
    },
  };
}

function openChange(access: ChangeAccess) {
  return async <T>(node: NodeRef, decide: (object: V1Node) => Decision<T>) =>
    await changeObject<V1Node, T>(access, 'nodes', { name: node.name, uid: node.uid }, decide);
}

function decideCordon(node: V1Node, run: string): Decision<'done' | 'already'> {
  const mine = ownershipOf(node).cordonedBy === run;
  if (node.spec?.unschedulable === true) return { outcome: mine ? 'done' : 'already' };
  return {
    outcome: 'done',
    patch: { metadata: { annotations: { [cordonedByAnnotation]: run } }, spec: { unschedulable: true } },
  };
}

function decideUncordon(node: V1Node, run: string): Decision<'done' | 'not-ours'> {
  if (ownershipOf(node).cordonedBy !== run) return { outcome: 'not-ours' };
  return {
    outcome: 'done',
    patch: { metadata: { annotations: { [cordonedByAnnotation]: null } }, spec: { unschedulable: null } },
  };
}

function decideExclude(node: V1Node, run: string): Decision<'done' | 'already'> {
  const value = node.metadata?.labels?.[excludeLabel];
  const mine = ownershipOf(node).excludedBy === run;
  if (value !== undefined && !mine) {
    if (excludesNode(value)) return { outcome: 'already' };
    throw new NodeferryError({
      code: 'NotOwned',
      message: `Node ${node.metadata?.name} carries the label ${excludeLabel}=${value} that somebody else set, which keeps it in load balancers whose controllers read the value`,
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
  if (ownershipOf(node).excludedBy !== run) return { outcome: 'not-ours' };
  return {
    outcome: 'done',
    patch: { metadata: { labels: { [excludeLabel]: null }, annotations: { [excludedByAnnotation]: null } } },
  };
}

function decideRemoveMarks(node: V1Node, run: string): Decision<'done'> {
  const { cordonedBy, excludedBy, disruptedBy, fence } = ownershipOf(node);
  const marks = [
    { annotation: cordonedByAnnotation, by: cordonedBy },
    { annotation: excludedByAnnotation, by: excludedBy },
    { annotation: disruptedByAnnotation, by: disruptedBy },
    { annotation: fenceAnnotation, by: fence?.run },
  ].filter(({ by }) => by === run);
  if (marks.length === 0) return { outcome: 'done' };
  const annotations = Object.fromEntries(marks.map(({ annotation }) => [annotation, null]));
  return { outcome: 'done', patch: { metadata: { annotations } } };
}

function decideFence(node: V1Node, fence: FencingToken): Decision<'done' | 'superseded'> {
  const current = ownershipOf(node).fence;
  if (hasFence(fence, current)) return { outcome: 'done' };
  if (!mayFence(fence, current)) return { outcome: 'superseded' };
  return { outcome: 'done', patch: { metadata: { annotations: { [fenceAnnotation]: formatToken(fence) } } } };
}

function decideUnfence(node: V1Node, run: string): Decision<'done' | 'not-ours'> {
  if (ownershipOf(node).fence?.run !== run) return { outcome: 'not-ours' };
  return { outcome: 'done', patch: { metadata: { annotations: { [fenceAnnotation]: null } } } };
}

function superseded(node: NodeRef): NodeferryError {
  return new NodeferryError({
    code: 'Superseded',
    message: `${node.name} is acted on by a later attempt, or was restored; this attempt stops`,
    hint: 'Nothing to do: a worker that was disconnected came back after another worker had taken over.',
  });
}

function decideTaint(node: V1Node, run: string): Decision<'done'> {
  const taints = node.spec?.taints ?? [];
  const tainted = taints.some(({ key, effect }) => key === disruptedTaint && effect === 'NoSchedule');
  if (tainted && ownershipOf(node).disruptedBy === run) return { outcome: 'done' };
  const others = taints.filter(({ key }) => key !== disruptedTaint);
  return {
    outcome: 'done',
    patch: {
      metadata: { annotations: { [disruptedByAnnotation]: run } },
      spec: { taints: [...others, { key: disruptedTaint, value: run, effect: 'NoSchedule' }] },
    },
  };
}

function decideUntaint(node: V1Node, run: string): Decision<'done' | 'not-ours'> {
  if (ownershipOf(node).disruptedBy !== run) return { outcome: 'not-ours' };
  const others = (node.spec?.taints ?? []).filter(({ key }) => key !== disruptedTaint);
  return {
    outcome: 'done',
    patch: {
      metadata: { annotations: { [disruptedByAnnotation]: null } },
      spec: { taints: others.length === 0 ? null : others },
    },
  };
}
