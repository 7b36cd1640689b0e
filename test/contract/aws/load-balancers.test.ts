import { AddTagsCommand, ModifyLoadBalancerAttributesCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { beforeEach, expect, test } from 'vitest';
import { createElbLoadBalancers } from '../../../adapters/elb/load-balancers.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { nameOfTarget } from '../../../core/model/target-group.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import { type BalancedCloud, startBalancedCloud } from '../../lab/aws/balancer.ts';
import { addPodTargets, balancedService } from './balancers-subject.ts';
import { calls, pointSdkAt, tls } from './support.ts';

let cloud: BalancedCloud;
let loadBalancers: LoadBalancers;

beforeEach(async () => {
  cloud = await startBalancedCloud({ tls });
  pointSdkAt(cloud.aws.url);
  const clock = {
    now: () => cloud.clock.now(),
    sleep: async (ms: number) => cloud.clock.advance(ms),
  };
  loadBalancers = createElbLoadBalancers({ region: 'eu-west-1', clock, maxAttempts: 2 });
});

const nothing = { groups: [], unsupported: [] };

const tag = (Key: string, Value: string) =>
  cloud.elb.send(new AddTagsCommand({ ResourceArns: [cloud.loadBalancerArn], Tags: [{ Key, Value }] }));

const service = (overrides: Partial<ServiceFacts> = {}) => balancedService(cloud, overrides);

test('finds the target group behind a Service with its live attributes', async () => {
  await tag('kubernetes.io/service-name', 'default/web');
  await cloud.setAttribute('deregistration_delay.timeout_seconds', '120');
  await cloud.setAttribute('deregistration_delay.connection_termination.enabled', 'true');
  await cloud.becomeHealthy();

  const { groups, unsupported } = await loadBalancers.discover([service()]);

  expect(unsupported).toEqual([]);
  expect(groups).toHaveLength(1);
  const [group] = groups;
  expect(group).toMatchObject({
    id: cloud.targetGroupArn,
    name: 'web-tg',
    kind: 'elbv2-instance',
    loadBalancer: 'web',
    service: 'default/web',
    crossZone: false,
    zones: ['eu-west-1a', 'eu-west-1b'],
    deregistrationDelayMs: 120_000,
    terminatesConnectionsAfterDelay: true,
    terminatesUnhealthyConnections: true,
    healthCheck: { protocol: 'HTTP', port: '31000', intervalMs: 10_000, healthyThreshold: 2, unhealthyThreshold: 2 },
  });
  const [read] = await loadBalancers.readTargets(groups);
  expect(read?.targets.map((target) => [nameOfTarget(target), target.port, target.state])).toEqual(
    cloud.nodes.map((id) => [id, 30080, 'healthy']),
  );
});

test.each([
  ['the service controller', { 'kubernetes.io/service-name': 'default/web' }, false],
  ['the AWS Load Balancer Controller', { 'service.k8s.aws/stack': 'default/web' }, true],
  [
    'the one whose tag names the Service',
    { 'kubernetes.io/service-name': 'default/old', 'service.k8s.aws/stack': 'default/web' },
    true,
  ],
])(
  'a target group is managed by %s, which may strand draining targets and ignore the value of the exclude label',
  async (_, tags, strandsDraining) => {
    for (const [key, value] of Object.entries(tags)) await tag(key, value);
    const { groups, unsupported } = await loadBalancers.discover([service()]);
    expect(groups).toMatchObject([{ id: cloud.targetGroupArn, service: 'default/web', strandsDraining }]);
    expect(groups[0]?.ignoresLabelValue ?? false).toBe(strandsDraining);
    expect(unsupported).toEqual([]);
  },
);

test('cross-zone comes from the load balancer unless the target group says otherwise', async () => {
  await tag('kubernetes.io/service-name', 'default/web');
  const on = { Key: 'load_balancing.cross_zone.enabled', Value: 'true' };
  await cloud.elb.send(
    new ModifyLoadBalancerAttributesCommand({ LoadBalancerArn: cloud.loadBalancerArn, Attributes: [on] }),
  );

  const inherited = await loadBalancers.discover([service()]);
  await cloud.setAttribute('load_balancing.cross_zone.enabled', 'false');
  const known = await loadBalancers.discover([service()]);
  const own = await loadBalancers.discover([service()], { anew: true });

  expect(known).toEqual(inherited);
  expect([inherited, own].map(({ groups }) => groups[0]?.crossZone)).toEqual([true, false]);
});

test('reading follows a target from draining to absent with one call each', async () => {
  await tag('kubernetes.io/service-name', 'default/web');
  await cloud.becomeHealthy();
  const { groups } = await loadBalancers.discover([service()]);
  const before = cloud.aws.requests.length;
  const [first = ''] = cloud.nodes;

  await cloud.deregister([first]);
  const [draining] = await loadBalancers.readTargets(groups);
  cloud.clock.advance(300_000);
  const [gone] = await loadBalancers.readTargets(groups);

  const stateIn = (group: typeof draining) => group?.targets.find((target) => nameOfTarget(target) === first);
  expect(stateIn(draining)).toMatchObject({ state: 'draining', reason: 'Target.DeregistrationInProgress' });
  expect(stateIn(gone)).toBeUndefined();
  expect(cloud.aws.requests.slice(before).map(({ action }) => action)).toEqual([
    'DeregisterTargets',
    'DescribeTargetHealth',
    'DescribeTargetHealth',
  ]);
});

test('reads that are asked for together share one call', async () => {
  await tag('kubernetes.io/service-name', 'default/web');
  const { groups } = await loadBalancers.discover([service()]);
  const before = calls(cloud.aws, 'DescribeTargetHealth').length;

  await Promise.all(Array.from({ length: 20 }, () => loadBalancers.readTargets(groups)));

  expect(calls(cloud.aws, 'DescribeTargetHealth').length - before).toBe(1);
});

test('Services that are no load balancers or have no address yet cost no call', async () => {
  const found = await loadBalancers.discover([service({ type: 'NodePort' }), service({ hostnames: [] })]);

  expect(found).toEqual(nothing);
  expect(calls(cloud.aws, 'DescribeLoadBalancers')).toEqual([]);
});

const classic = 'classic-1.elb.amazonaws.com';

test('an address that no ELBv2 load balancer has makes its Service unsupported, and costs no further call', async () => {
  const { groups, unsupported } = await loadBalancers.discover([service({ hostnames: [classic] })]);

  expect(groups).toEqual([]);
  expect(unsupported).toEqual([
    {
      service: 'default/web',
      why: 'unknown-load-balancer',
      detail: expect.stringContaining(classic),
      hint: expect.stringContaining('Classic'),
    },
  ]);
  expect(calls(cloud.aws, 'DescribeTags')).toEqual([]);
});

test('so does a load balancer that no controller manages for the Service', async () => {
  const untagged = await loadBalancers.discover([service()]);
  await tag('kubernetes.io/service-name', 'default/api');
  const foreign = await loadBalancers.discover([service()]);

  const why = { service: 'default/web', why: 'not-managed' };
  expect(untagged).toMatchObject({
    groups: [],
    unsupported: [{ ...why, detail: expect.stringContaining('no tag') }],
  });
  expect(foreign).toMatchObject({
    groups: [],
    unsupported: [{ ...why, detail: expect.stringContaining('its tags name default/api') }],
  });
});

test('so do pod targets that no known controller registers; target groups with nodes are observed all the same', async () => {
  await tag('kubernetes.io/service-name', 'default/web');
  await addPodTargets(cloud);

  expect(await loadBalancers.discover([service()])).toMatchObject({
    groups: [{ id: cloud.targetGroupArn }],
    unsupported: [
      {
        service: 'default/web',
        why: 'other-targets',
        detail: expect.stringContaining('web-ip has targets of type ip'),
      },
    ],
  });
});
