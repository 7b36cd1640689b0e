import {
  AddTagsCommand,
  CreateListenerCommand,
  CreateTargetGroupCommand,
  DeleteListenerCommand,
  DeleteTargetGroupCommand,
  DescribeListenersCommand,
  ModifyLoadBalancerAttributesCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { beforeEach, expect, test } from 'vitest';
import { createElbLoadBalancers } from '../../../adapters/elb/load-balancers.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import { type BalancedCloud, startBalancedCloud } from '../../lab/aws/balancer.ts';
import { calls, pointSdkAt, problemOf } from './support.ts';

let cloud: BalancedCloud;
let loadBalancers: LoadBalancers;

beforeEach(async () => {
  cloud = await startBalancedCloud();
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

function service(overrides: Partial<ServiceFacts> = {}): ServiceFacts {
  return {
    key: 'default/web',
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    internalTrafficPolicy: 'Cluster',
    selector: { app: 'web' },
    healthCheckNodePort: 31000,
    nodePorts: [30080],
    hostnames: [cloud.aws.model.loadBalancers.get(cloud.loadBalancerArn)?.dnsName ?? ''],
    publishNotReadyAddresses: false,
    endpoints: [],
    ...overrides,
  };
}

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
  expect(read?.targets.map(({ instanceId, port, state }) => [instanceId, port, state])).toEqual(
    cloud.nodes.map((id) => [id, 30080, 'healthy']),
  );
});

test.each([
  ['the service controller', { 'kubernetes.io/service-name': 'default/web' }, 'service-controller'],
  ['the AWS Load Balancer Controller', { 'service.k8s.aws/stack': 'default/web' }, 'aws-load-balancer-controller'],
  [
    'the one whose tag names the Service',
    { 'kubernetes.io/service-name': 'default/old', 'service.k8s.aws/stack': 'default/web' },
    'aws-load-balancer-controller',
  ],
])('a target group is looked after by %s', async (_, tags, controller) => {
  for (const [key, value] of Object.entries(tags)) await tag(key, value);
  const { groups, unsupported } = await loadBalancers.discover([service()]);
  expect(groups).toMatchObject([{ id: cloud.targetGroupArn, service: 'default/web', controller }]);
  expect(unsupported).toEqual([]);
});

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

  const stateIn = (group: typeof draining) => group?.targets.find(({ instanceId }) => instanceId === first);
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

/** Adds a target group with pods' addresses as targets to the load balancer. */
async function addPodTargets(): Promise<void> {
  const made = await cloud.elb.send(
    new CreateTargetGroupCommand({
      Name: 'web-ip',
      Protocol: 'TCP',
      Port: 8080,
      TargetType: 'ip',
      VpcId: cloud.aws.model.network.vpcId,
    }),
  );
  await cloud.elb.send(
    new CreateListenerCommand({
      LoadBalancerArn: cloud.loadBalancerArn,
      Port: 8080,
      Protocol: 'TCP',
      DefaultActions: [{ Type: 'forward', TargetGroupArn: made.TargetGroups?.[0]?.TargetGroupArn }],
    }),
  );
}

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

test('so do pod targets, because nodes are no targets there; target groups with nodes are looked at all the same', async () => {
  await tag('kubernetes.io/service-name', 'default/web');
  await addPodTargets();

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

test('a Service with several reasons is told once, with the first, and its other address is looked at', async () => {
  await tag('kubernetes.io/service-name', 'default/web');
  await addPodTargets();

  const { groups, unsupported } = await loadBalancers.discover([
    service({ hostnames: [...service().hostnames, classic] }),
  ]);

  expect(groups.map(({ id }) => id)).toEqual([cloud.targetGroupArn]);
  expect(unsupported.map(({ why }) => why)).toEqual(['unknown-load-balancer']);
});

test('an unsupported Service takes nothing from the others', async () => {
  await tag('kubernetes.io/service-name', 'default/web');

  const found = await loadBalancers.discover([service({ key: 'default/old', hostnames: [classic] }), service()]);

  expect(found.groups.map((group) => group.service)).toEqual(['default/web']);
  expect(found.unsupported.map((fact) => fact.service)).toEqual(['default/old']);
});

test('a target group that disappeared is a conflict until it is discovered anew', async () => {
  await tag('kubernetes.io/service-name', 'default/web');
  const { groups } = await loadBalancers.discover([service()]);
  const { Listeners = [] } = await cloud.elb.send(
    new DescribeListenersCommand({ LoadBalancerArn: cloud.loadBalancerArn }),
  );
  await cloud.elb.send(new DeleteListenerCommand({ ListenerArn: Listeners[0]?.ListenerArn }));
  await cloud.elb.send(new DeleteTargetGroupCommand({ TargetGroupArn: cloud.targetGroupArn }));

  expect(await problemOf(loadBalancers.readTargets(groups))).toMatchObject({ code: 'Conflict' });
  expect(await loadBalancers.discover([service()])).toEqual(nothing);
});
