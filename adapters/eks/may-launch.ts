import {
  DescribeInstancesCommand,
  DescribeLaunchTemplateVersionsCommand,
  type ResponseLaunchTemplateData,
  RunInstancesCommand,
  type RunInstancesRequest,
} from '@aws-sdk/client-ec2';
import type { LaunchTemplateSpecification, Nodegroup } from '@aws-sdk/client-eks';
import type { PoolRef } from '../../core/model/pool.ts';
import type { TargetPolicy } from '../../core/policy/policy.ts';
import { commonProblemCode, readAwsError } from '../aws/errors.ts';
import { createdByTag } from './clone.ts';
import { callEks, mayNotLaunch, translateEksError } from './errors.ts';
import { type EksClients, poolSubject, requirePool } from './observe.ts';
import { liveInstances } from './sizes.ts';

/**
 * Asks EC2, without launching anything, whether instances may be launched from the launch template of a pool. EKS refuses to create a node group with
 * a customer's template for a caller who may not launch from it. That has to be known before the pool is locked and its scaling suspended. @throws
 * NodeferryError Forbidden; ProviderRefused when the template has no such version
 */
export async function requireMayLaunch(clients: EksClients, source: PoolRef, target: TargetPolicy): Promise<void> {
  const observation = await requirePool(clients, source);
  const { launchTemplate } = observation.nodegroup;
  if (launchTemplate === undefined) return;
  const subject = poolSubject(source);
  const wanted = {
    LaunchTemplateId: launchTemplate.id,
    Version: target['launchTemplateVersion'] ?? launchTemplate.version ?? '$Default',
  };
  const data = await readTemplate(clients, subject, wanted);
  const member = liveInstances(observation.group)[0]?.instanceId;
  const imageId = data?.ImageId ?? (await readImage(clients, subject, member));
  await tryLaunch(clients, subject, {
    ...instanceSpecOf(observation.nodegroup, data, imageId),
    LaunchTemplate: wanted,
  });
}

async function readTemplate(
  { ec2 }: EksClients,
  subject: string,
  {
    LaunchTemplateId,
    Version,
  }: { readonly LaunchTemplateId: LaunchTemplateSpecification['id']; readonly Version: string },
): Promise<ResponseLaunchTemplateData | undefined> {
  const command = new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId, Versions: [Version] });
  const { LaunchTemplateVersions = [] } = await callEks('ec2:DescribeLaunchTemplateVersions', subject, () =>
    ec2.send(command),
  );
  return LaunchTemplateVersions[0]?.LaunchTemplateData;
}

/** EKS chooses the image when the template names none. EC2 requires one, and the image of an instance of the pool will do. */
async function readImage(
  { ec2 }: EksClients,
  subject: string,
  instanceId: string | undefined,
): Promise<string | undefined> {
  if (instanceId === undefined) return undefined;
  const command = new DescribeInstancesCommand({ InstanceIds: [instanceId] });
  const { Reservations = [] } = await callEks('ec2:DescribeInstances', `${subject}: instance ${instanceId}`, () =>
    ec2.send(command),
  );
  return Reservations[0]?.Instances?.[0]?.ImageId;
}

function instanceSpecOf(
  { subnets = [], instanceTypes = [] }: Nodegroup,
  data: ResponseLaunchTemplateData | undefined,
  imageId: string | undefined,
): Partial<RunInstancesRequest> {
  const [subnet] = subnets;
  const [instanceType] = instanceTypes;
  const ownInterfaces = (data?.NetworkInterfaces ?? []).length > 0;
  return {
    ...(subnet !== undefined && !ownInterfaces && { SubnetId: subnet }),
    ...(data?.ImageId === undefined && imageId !== undefined && { ImageId: imageId }),
    ...(data?.InstanceType === undefined &&
      instanceType !== undefined && { InstanceType: instanceType as NonNullable<RunInstancesRequest['InstanceType']> }),
  };
}

/** A dry run never launches anything: EC2 answers with DryRunOperation, or with the reason for refusing. */
async function tryLaunch({ ec2 }: EksClients, subject: string, request: Partial<RunInstancesRequest>): Promise<void> {
  const tags = [{ Key: createdByTag, Value: 'dry-run' }];
  const call = { action: 'ec2:RunInstances', subject: `${subject} (dry run)` };
  try {
    await ec2.send(
      new RunInstancesCommand({
        ...request,
        DryRun: true,
        MinCount: 1,
        MaxCount: 1,
        TagSpecifications: [{ ResourceType: 'instance', Tags: tags }],
      }),
    );
  } catch (error) {
    const facts = readAwsError(error);
    if (facts.name === 'UnauthorizedOperation') throw mayNotLaunch(error, call);
    const common = commonProblemCode(facts);
    // EKS may have fixed what else EC2 objects to: it derives its own template from this one.
    if (common === 'Throttled' || common === 'ProviderUnavailable') throw translateEksError(error, call);
  }
}
