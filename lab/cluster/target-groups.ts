/** Settings of target groups that the AWS cloud controller manager has no annotation for. */
import {
  ElasticLoadBalancingV2Client,
  ModifyTargetGroupAttributesCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Scenario } from '../scenario.ts';
import { awsEnvironment } from './cloud-controller.ts';
import type { LabService } from './readiness.ts';

/**
 * Sets the attributes that the scenario wants through the ELBv2 API. The annotation for target group attributes takes
 * client IP preservation and proxy protocol only, and refuses the Service when it names another attribute
 * (kubernetes/cloud-provider-aws v1.34.3, pkg/providers/v1/aws_validations.go).
 */
export async function setTargetGroupAttributes(
  awsUrl: string,
  scenario: Pick<Scenario, 'region' | 'targetGroups'>,
  services: readonly LabService[],
): Promise<void> {
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = awsEnvironment(
    scenario.region,
  );
  const client = new ElasticLoadBalancingV2Client({
    endpoint: awsUrl,
    region: scenario.region,
    credentials: { accessKeyId, secretAccessKey },
  });
  try {
    for (const { service, attributes } of scenario.targetGroups) {
      const arns = services.find(({ name }) => name === service)?.targetGroupArns ?? [];
      for (const TargetGroupArn of arns) {
        const Attributes = Object.entries(attributes).map(([Key, Value]) => ({ Key, Value }));
        await client.send(new ModifyTargetGroupAttributesCommand({ TargetGroupArn, Attributes }));
      }
    }
  } finally {
    client.destroy();
  }
}
