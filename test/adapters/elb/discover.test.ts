import {
  DescribeLoadBalancersCommand,
  DescribeTagsCommand,
  DescribeTargetGroupsCommand,
  type ElasticLoadBalancingV2Client,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { expect, test } from 'vitest';
import { rememberAttributes } from '../../../adapters/elb/attributes.ts';
import { discoverFrames } from '../../../adapters/elb/discover.ts';
import { createRateBudget } from '../../../adapters/elb/rate-budget.ts';
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

async function discover(tags: Readonly<Record<string, string>>) {
  const clock = { now: () => 0, sleep: async () => undefined };
  const reader = { client: clientWith(tags), budget: createRateBudget({ ratePerSecond: 1, burst: 1_000, clock }) };
  const attributes = rememberAttributes(reader, clock);
  return await discoverFrames({ reader, attributes, since: 0 }, [aService('web', [])]);
}

test.each([
  ['the service controller', { 'kubernetes.io/service-name': 'default/web' }, 'service-controller'],
  ['the AWS Load Balancer Controller', { 'service.k8s.aws/stack': 'default/web' }, 'aws-load-balancer-controller'],
  [
    'the one whose tag names the Service',
    { 'kubernetes.io/service-name': 'default/old', 'service.k8s.aws/stack': 'default/web' },
    'aws-load-balancer-controller',
  ],
])('a target group is looked after by %s', async (_, tags, controller) => {
  const { groups, unsupported } = await discover(tags);
  expect(groups).toMatchObject([{ id: 'arn:tg', service: 'default/web', controller }]);
  expect(unsupported).toEqual([]);
});

test('without a tag of either nobody takes nodes out, and the Service is not supported', async () => {
  const { groups, unsupported } = await discover({ owner: 'default/web' });
  expect(groups).toEqual([]);
  expect(unsupported).toMatchObject([{ service: 'default/web', why: 'not-managed' }]);
});
