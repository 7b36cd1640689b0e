import type { V1Node, V1Taint, V1VolumeAttachment } from '@kubernetes/client-node';

import { excludeLabel, zoneLabel } from '../../core/model/labels.ts';
import type { NodeFacts, OwnedBy, TaintFacts } from '../../core/model/node.ts';
import type { VolumeAttachmentFacts } from '../../core/model/volume.ts';
import type { ProviderNodeLabels } from '../../ports/node-labels.ts';
import { asksToStay } from './map-do-not-disrupt.ts';
import {
  cordonedByAnnotation,
  disruptedByAnnotation,
  excludedByAnnotation,
  fenceAnnotation,
  parseToken,
} from './ownership-marks.ts';

/** What Go's strconv.ParseBool reads as false, which is how the service controller parses the label (k8s.io/cloud-provider). */
const falseWords = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** The facts in a Node object. Which pool it belongs to, the labels of its provider say. */
export function nodeFacts(node: V1Node, providers: readonly ProviderNodeLabels[]): NodeFacts {
  const labels = node.metadata?.labels ?? {};
  const provider = providers.find(({ name }) => labels[name] !== undefined);
  return {
    name: node.metadata?.name ?? '',
    uid: node.metadata?.uid ?? '',
    instanceId: instanceIdOf(node.spec?.providerID),
    ...(node.spec?.providerID === undefined ? {} : { providerId: node.spec.providerID }),
    zone: labels[zoneLabel] ?? '',
    pool: provider && labels[provider.name],
    ...(provider === undefined ? {} : { poolLabels: { name: provider.name, others: provider.others } }),
    ...(providers.some(({ isMadeForOnePod }) => isMadeForOnePod(labels)) ? { madeForOnePod: true } : {}),
    kubeletVersion: node.status?.nodeInfo?.kubeletVersion ?? '',
    ...readiness(node),
    cordoned: node.spec?.unschedulable ?? false,
    excluded: excludesNode(labels[excludeLabel]),
    ...(labels[excludeLabel] !== undefined && !excludesNode(labels[excludeLabel]) ? { deniesExclusion: true } : {}),
    ...asksToStay(node),
    ownership: ownershipOf(node),
    labels,
    taints: (node.spec?.taints ?? []).map(taintFacts),
  };
}

/**
 * Whether a value of the exclude label excludes the node: any but a word for false. The service controller parses the value; other controllers (AWS
 * Load Balancer Controller, ingress-gce) only check whether the label exists, which their target groups say.
 */
export function excludesNode(value: string | undefined): boolean {
  return value !== undefined && !falseWords.has(value);
}

/** Ready is Unknown when the node's lease was not renewed in time (kubernetes pkg/controller/nodelifecycle). */
function readiness(node: V1Node): Pick<NodeFacts, 'ready' | 'unknownSince'> {
  const condition = node.status?.conditions?.find(({ type }) => type === 'Ready');
  const since = condition?.status === 'Unknown' ? condition.lastTransitionTime : undefined;
  const unknownSince = since === undefined ? {} : { unknownSince: new Date(since).getTime() };
  return { ready: condition?.status === 'True', ...unknownSince };
}

/** Our labels, annotations and taints on a node, and the runs that they belong to. */
export function ownershipOf(node: V1Node): OwnedBy {
  const annotations = node.metadata?.annotations ?? {};
  const cordonedBy = annotations[cordonedByAnnotation];
  const excludedBy = annotations[excludedByAnnotation];
  const disruptedBy = annotations[disruptedByAnnotation];
  const fence = parseToken(annotations[fenceAnnotation]);
  return {
    ...(cordonedBy === undefined ? {} : { cordonedBy }),
    ...(excludedBy === undefined ? {} : { excludedBy }),
    ...(disruptedBy === undefined ? {} : { disruptedBy }),
    ...(fence === undefined ? {} : { fence }),
  };
}

/** Instance in `spec.providerID`: `i-0abc` of `aws:///eu-west-1a/i-0abc`, the VM's name of `gce://project/zone/name`; empty without one. */
export function instanceIdOf(providerId: string | undefined): string {
  return providerId?.split('/').at(-1) ?? '';
}

/** The facts in a VolumeAttachment. */
export function attachmentFacts({ metadata, spec }: V1VolumeAttachment): VolumeAttachmentFacts {
  return { node: spec.nodeName, volume: spec.source.persistentVolumeName, name: metadata?.name ?? '' };
}

function taintFacts({ key, value, effect }: V1Taint): TaintFacts {
  return { key, effect: effect as TaintFacts['effect'], ...(value === undefined ? {} : { value }) };
}
