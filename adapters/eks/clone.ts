import { createHash } from 'node:crypto';
import type { CreateNodegroupRequest, Nodegroup } from '@aws-sdk/client-eks';
import { NodeferryError } from '../../core/model/problem.ts';
import type { TargetPolicy } from '../../core/policy/policy.ts';
import { originalMinSize, ownersMinSizeTag } from './settings-tag.ts';

/** Tag on a replacement node group: the run that created it. */
export const createdByTag = 'nodeferry.dev/created-by';
/** Tag on a replacement node group: the name of the node group that it replaces. */
export const replacesTag = 'nodeferry.dev/replaces';

/** What the replacement must look like. */
export interface CloneRequest {
  readonly target: TargetPolicy;
  /** Number of instances to start with. */
  readonly size: number;
  readonly run: string;
  /** Idempotency token. */
  readonly token: string;
}

/**
 * The request for a node group like `source` with the target's changes (EKS API reference, CreateNodegroup). It has its size as its minimum: until the
 * pods have moved, the cluster autoscaler would remove the new nodes as unneeded, but never below the minimum (EKS API reference, NodegroupScalingConfig).
 * A tag keeps the minimum that the owner of the source chose. The maximum is never below the size. @throws NodeferryError ProviderRefused for a target
 * that such a node group can't have
 */
export function cloneNodegroup(cluster: string, source: Nodegroup, request: CloneRequest): CreateNodegroupRequest {
  const { target, size, run, token } = request;
  const { scalingConfig } = source;
  return {
    clusterName: cluster,
    nodegroupName: target.poolName,
    clientRequestToken: requestToken(token),
    subnets: source.subnets,
    nodeRole: source.nodeRole,
    instanceTypes: source.instanceTypes,
    capacityType: source.capacityType,
    labels: source.labels,
    taints: source.taints,
    updateConfig: source.updateConfig,
    nodeRepairConfig: source.nodeRepairConfig,
    warmPoolConfig: source.warmPoolConfig,
    scalingConfig: {
      minSize: size,
      maxSize: Math.max(scalingConfig?.maxSize ?? 1, size, 1),
      desiredSize: size,
    },
    tags: {
      ...ownTags(source.tags),
      [createdByTag]: run,
      [replacesTag]: source.nodegroupName ?? '',
      [ownersMinSizeTag]: String(originalMinSize(source)),
    },
    ...instanceSettings(source, target),
  };
}

/** Tags that a customer may set: `aws:` is reserved, `eks:` belongs to EKS, and ours belong to one node group. */
function ownTags(tags: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(tags ?? {}).filter(([key]) => !/^(aws:|eks:|nodeferry\.dev\/)/.test(key)));
}

/**
 * Image, version, disk and access. With a customer's launch template, disk and access come from the template. With an image in it (`CUSTOM`), the
 * version does too, and EKS refuses a request that names one (EKS user guide, "Launch templates").
 */
function instanceSettings(source: Nodegroup, target: TargetPolicy): Partial<CreateNodegroupRequest> {
  const ownImage = source.amiType === 'CUSTOM';
  if (ownImage && (target.version !== undefined || target['releaseVersion'] !== undefined)) {
    throw refused(
      source,
      'its launch template names its own image, so the version can only change with the template',
      'Make a launch template version with the new image, set target.launchTemplateVersion, and leave version and releaseVersion out.',
    );
  }
  return {
    ...(!ownImage && { amiType: source.amiType, ...versions(source, target) }),
    ...template(source, target),
  };
}

/** A version without a release means the newest release of that version. With neither, the replacement gets exactly what the source has. */
function versions(source: Nodegroup, target: TargetPolicy): Partial<CreateNodegroupRequest> {
  const release = target['releaseVersion'] ?? (target.version === undefined ? source.releaseVersion : undefined);
  return {
    version: target.version ?? source.version,
    ...(release !== undefined && { releaseVersion: release }),
  };
}

function template(source: Nodegroup, target: TargetPolicy): Partial<CreateNodegroupRequest> {
  const { launchTemplate } = source;
  if (launchTemplate !== undefined) {
    const version = target['launchTemplateVersion'] ?? launchTemplate.version;
    return { launchTemplate: { id: launchTemplate.id, ...(version !== undefined && { version }) } };
  }
  if (target['launchTemplateVersion'] !== undefined) {
    throw refused(
      source,
      'it has no launch template, so there is no version to set',
      'Leave target.launchTemplateVersion out of the policy.',
    );
  }
  return {
    ...(source.diskSize !== undefined && { diskSize: source.diskSize }),
    ...(source.remoteAccess !== undefined && { remoteAccess: source.remoteAccess }),
  };
}

function refused(source: Nodegroup, why: string, hint: string): NodeferryError {
  return new NodeferryError({
    code: 'ProviderRefused',
    message: `node group ${source.nodegroupName} can't be cloned as asked: ${why}`,
    hint,
  });
}

/** EKS accepts tokens of up to 64 printable ASCII characters (EC2 API reference, "Ensuring idempotency"); longer ones are hashed. */
function requestToken(token: string): string {
  return /^[\x21-\x7e]{1,64}$/.test(token) ? token : createHash('sha256').update(token).digest('hex');
}
