import type { CreateNodegroupRequest, NodegroupScalingConfig } from '@aws-sdk/client-eks';
import type { LaunchTemplate } from '../ec2/state.ts';
import { isForbidden } from '../faults.ts';
import type { World } from '../world.ts';
import { eksError } from './errors.ts';
import type { NodegroupSpecification } from './nodegroups.ts';
import type { Nodegroup } from './state.ts';

/** Checks sizes: max at least 1, min <= desired <= max (EKS API reference, NodegroupScalingConfig). */
export function requireScaling(
  config: NodegroupScalingConfig | undefined,
  before: Nodegroup['scaling'],
): Nodegroup['scaling'] {
  const min = config?.minSize ?? before.min;
  const max = config?.maxSize ?? before.max;
  const desired = config?.desiredSize ?? before.desired;
  if (max < 1) throw eksError('InvalidParameterException', 'maxSize must be at least 1');
  if (min > max)
    throw eksError('InvalidParameterException', `Minimum capacity ${min} can't be greater than maximum size ${max}`);
  if (desired < min)
    throw eksError(
      'InvalidParameterException',
      `Minimum capacity ${min} can't be greater than desired size ${desired}`,
    );
  if (desired > max)
    throw eksError('InvalidParameterException', `desired capacity ${desired} can't be greater than max size ${max}`);
  return { min, max, desired };
}

const minorOf = (version: string) => Number(version.split('.')[1]);

const invalid = (message: string) => eksError('InvalidParameterException', message);

/** A new node group from its request, with EKS's defaults filled in and refused when EKS refuses it (API reference, CreateNodegroup). */
export function specificationOf(world: World, input: CreateNodegroupRequest): NodegroupSpecification {
  const unknown = input.subnets?.find((id) => !world.network.subnets.some((subnet) => subnet.id === id));
  if (unknown !== undefined) throw invalid(`The subnet ID '${unknown}' does not exist`);
  return {
    name: input.nodegroupName ?? '',
    ...requireVersion(world, input),
    clientToken: input.clientRequestToken ?? '',
    request: instanceSpecOf(world, input),
    tags: new Map(Object.entries(input.tags ?? {})),
    labels: new Map(Object.entries(input.labels ?? {})),
    taints: input.taints ?? [],
    scaling: requireScaling(input.scalingConfig, { min: 1, max: 2, desired: 2 }),
    maxUnavailable:
      input.updateConfig?.maxUnavailablePercentage === undefined
        ? { count: input.updateConfig?.maxUnavailable ?? 1 }
        : { percentage: input.updateConfig.maxUnavailablePercentage },
  };
}

/** Without a version, the control plane's version and its newest release. A node group is never newer than the control plane. */
function requireVersion(world: World, input: CreateNodegroupRequest): Pick<Nodegroup, 'version' | 'releaseVersion'> {
  const { cluster } = world;
  const version = input.version ?? input.releaseVersion?.split('.').slice(0, 2).join('.') ?? cluster.version;
  const newest = cluster.releases[version];
  if (newest === undefined || minorOf(version) > minorOf(cluster.version)) {
    throw invalid(`Requested Nodegroup version ${version} is not valid for kubernetes version ${cluster.version}.`);
  }
  if (input.releaseVersion?.startsWith(`${version}.`) === false) {
    throw invalid(`Requested release version ${input.releaseVersion} is not valid for kubernetes version ${version}.`);
  }
  return { version, releaseVersion: input.releaseVersion ?? newest };
}

/**
 * With a customer's launch template the disk comes from the template. With an image in it, the image type is CUSTOM and no version may be given (EKS
 * user guide, "Customize managed nodes with launch templates").
 */
function instanceSpecOf(world: World, input: CreateNodegroupRequest): NodegroupSpecification['request'] {
  const template = requireTemplate(world, input);
  if (template !== undefined) requireLauncher(world);
  const own = template && { id: template.id, name: template.name, version: templateVersion(template, input) };
  const chosen = template?.versions.find(({ number }) => String(number) === own?.version);
  const custom = (chosen?.imageId ?? '') !== '';
  if (own !== undefined && input.diskSize !== undefined) {
    throw invalid('Disk size must be specified within the launch template.');
  }
  if (custom && (input.version !== undefined || input.releaseVersion !== undefined)) {
    throw invalid('You cannot specify a version or release version with a launch template that names an image.');
  }
  const templateType = chosen?.instanceType ?? '';
  return {
    subnets: input.subnets ?? [],
    nodeRole: input.nodeRole ?? '',
    instanceTypes: input.instanceTypes ?? [templateType === '' ? 't3.medium' : templateType],
    amiType: custom ? 'CUSTOM' : (input.amiType ?? 'AL2023_x86_64_STANDARD'),
    capacityType: input.capacityType ?? 'ON_DEMAND',
    diskSize: own === undefined ? (input.diskSize ?? 20) : undefined,
    launchTemplate: own,
  };
}

/**
 * EKS launches from a customer's template only for callers who may do so themselves (EKS user guide, "Troubleshoot problems with Amazon EKS clusters
 * and nodes", Not authorized for launch template).
 */
function requireLauncher({ faults }: World): void {
  const needed = ['RunInstances', 'CreateTags', 'DescribeLaunchTemplateVersions'];
  if (needed.every((action) => !isForbidden(faults, 'ec2', action))) return;
  throw eksError('InvalidRequestException', 'You are not authorized to launch instances with this launch template.');
}

function requireTemplate(world: World, { launchTemplate }: CreateNodegroupRequest): LaunchTemplate | undefined {
  if (launchTemplate === undefined) return undefined;
  const found = [...world.launchTemplates.values()].find(
    ({ id, name }) => id === launchTemplate.id || name === launchTemplate.name,
  );
  if (found === undefined) throw invalid('The specified launch template does not exist.');
  return found;
}

/** Without a version, the default version of the template is used (EKS API reference, LaunchTemplateSpecification). */
function templateVersion(template: LaunchTemplate, { launchTemplate }: CreateNodegroupRequest): string {
  const version = launchTemplate?.version ?? String(template.defaultVersion);
  if (template.versions.some(({ number }) => String(number) === version)) return version;
  throw invalid(`The specified launch template version ${version} does not exist.`);
}
