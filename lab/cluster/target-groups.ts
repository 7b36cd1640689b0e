/** Changes target groups through the ELBv2 API, without the AWS cloud controller manager. */
import {
  ElasticLoadBalancingV2Client,
  ModifyTargetGroupAttributesCommand,
  RegisterTargetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Scenario } from '../scenario.ts';
import { awsEnvironment } from './cloud-controller.ts';

/** Where the simulated AWS listens, and the region that clients sign for. */
interface AwsAddress {
  readonly url: string;
  readonly region: string;
}

/** A Service, by name, with its target groups. */
interface BalancedByTargetGroups {
  readonly name: string;
  readonly targetGroupArns: readonly string[];
}

/**
 * Sets the attributes that the scenario requires through the ELBv2 API. The annotation for target group attributes accepts only client IP
 * preservation and proxy protocol, and refuses the Service when it names another attribute (kubernetes/cloud-provider-aws v1.34.3,
 * pkg/providers/v1/aws_validations.go).
 */
export async function setTargetGroupAttributes(
  aws: AwsAddress,
  { targetGroups }: Pick<Scenario, 'targetGroups'>,
  services: readonly BalancedByTargetGroups[],
): Promise<void> {
  await withClient(aws, async (client) => {
    for (const { service, attributes } of targetGroups) {
      const arns = services.find(({ name }) => name === service)?.targetGroupArns ?? [];
      for (const TargetGroupArn of arns) {
        const Attributes = Object.entries(attributes).map(([Key, Value]) => ({ Key, Value }));
        await client.send(new ModifyTargetGroupAttributesCommand({ TargetGroupArn, Attributes }));
      }
    }
  });
}

/**
 * Registers an instance in every target group. The cloud controller manager does that when it ensures a Service with a list of nodes from before the
 * node was excluded. The instance then stays registered until the label is removed and set again.
 */
export async function registerInstance(
  aws: AwsAddress,
  services: readonly BalancedByTargetGroups[],
  instanceId: string,
): Promise<void> {
  await withClient(aws, async (client) => {
    for (const TargetGroupArn of services.flatMap(({ targetGroupArns }) => targetGroupArns))
      await client.send(new RegisterTargetsCommand({ TargetGroupArn, Targets: [{ Id: instanceId }] }));
  });
}

async function withClient(
  { url, region }: AwsAddress,
  body: (client: ElasticLoadBalancingV2Client) => Promise<void>,
): Promise<void> {
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = awsEnvironment(region);
  const client = new ElasticLoadBalancingV2Client({
    endpoint: url,
    region,
    credentials: { accessKeyId, secretAccessKey },
  });
  try {
    await body(client);
  } finally {
    client.destroy();
  }
}
