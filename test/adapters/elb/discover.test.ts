import {
  DescribeLoadBalancersCommand,
  DescribeTagsCommand,
  DescribeTargetGroupsCommand,
  type ElasticLoadBalancingV2Client,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { expect, test } from 'vitest';
import { discoverFrames } from '../../../adapters/elb/discover.ts';
import { aService } from '../../core/support/facts.ts';

/** A client that knows one Network Load Balancer with one target group, and these tags. */
function clientWith(tags: Readonly<Record<string, string>>): ElasticLoadBalancingV2Client {
  const answer = (command: unknown): object => {
    if (command instanceof DescribeLoadBalancersCommand)
      return { LoadBalancers: [{ LoadBalancerArn: 'arn:nlb', LoadBalancerName: 'nlb', DNSName: 'web.elb.example' }] };
    if (command instanceof DescribeTagsCommand)
      return {
        TagDescriptions: [
          { ResourceArn: 'arn:nlb', Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) },
        ],
      };
    if (command instanceof DescribeTargetGroupsCommand)
      return { TargetGroups: [{ TargetGroupArn: 'arn:tg', TargetGroupName: 'tg', TargetType: 'instance' }] };
    return { Attributes: [] };
  };
  return { send: async (command: unknown) => answer(command) } as unknown as ElasticLoadBalancingV2Client;
}

const discover = async (tags: Readonly<Record<string, string>>) =>
  await discoverFrames({ client: clientWith(tags), budget: { take: async () => undefined } }, [aService('web', [])]);

test.each([
  ['the service controller', { 'kubernetes.io/service-name': 'default/web' }, 'service-controller'],
  ['the AWS Load Balancer Controller', { 'service.k8s.aws/stack': 'default/web' }, 'aws-load-balancer-controller'],
  [
    'the one whose tag names the Service',
    { 'kubernetes.io/service-name': 'default/old', 'service.k8s.aws/stack': 'default/web' },
    'aws-load-balancer-controller',
  ],
])('a target group is looked after by %s', async (_, tags, controller) => {
  const { frames, unsupported } = await discover(tags);
  expect(frames).toMatchObject([{ id: 'arn:tg', service: 'default/web', controller }]);
  expect(unsupported).toEqual([]);
});

test('without a tag of either nobody takes nodes out, and the Service is not supported', async () => {
  const { frames, unsupported } = await discover({ owner: 'default/web' });
  expect(frames).toEqual([]);
  expect(unsupported).toMatchObject([{ service: 'default/web', why: 'not-managed' }]);
});
