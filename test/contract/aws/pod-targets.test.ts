/** Target groups whose targets are pods, as the AWS Load Balancer Controller makes them for a Service, an Ingress or a binding of its own. */
import {
  AddTagsCommand,
  CreateTargetGroupCommand,
  DeregisterTargetsCommand,
  RegisterTargetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { beforeEach, expect, test } from 'vitest';
import { createElbFamily } from '../../../adapters/elb/family.ts';
import { createElbLoadBalancers } from '../../../adapters/elb/load-balancers.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { nameOfTarget, type TargetGroupBase } from '../../../core/model/target-group.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import { type BalancedCloud, startBalancedCloud } from '../../lab/aws/balancer.ts';
import { addPodTargets, balancedService } from './balancers-subject.ts';
import { calls, pointSdkAt, tls } from './support.ts';

const [first, second] = ['10.0.1.17', '10.0.2.18'];

let cloud: BalancedCloud;
let balancers: LoadBalancers;
let arn: string;
/** A Service without a load balancer of its own, to which a target group of pods is bound. */
let bound: ServiceFacts;

beforeEach(async () => {
  cloud = await startBalancedCloud({ tls });
  pointSdkAt(cloud.aws.url);
  const clock = { now: () => cloud.clock.now(), sleep: async (ms: number) => cloud.clock.advance(ms) };
  balancers = createElbLoadBalancers({ region: 'eu-west-1', clock, maxAttempts: 2 });
  arn = await addPodTargets(cloud);
  await cloud.elb.send(new RegisterTargetsCommand(pods(first, second)));
  bound = bind(arn);
});

const pods = (...ids: string[]) => ({ TargetGroupArn: arn, Targets: ids.map((Id) => ({ Id, Port: 8_080 })) });
const bind = (...names: string[]) =>
  balancedService(cloud, {
    type: 'ClusterIP',
    hostnames: [],
    podGroups: { names, zones: [], zonesNeedCandidate: false },
  });
const inOtherAccounts = ['TargetGroupBinding default/peered'];
const statesOf = async (groups: readonly TargetGroupBase[]) => {
  const read = await balancers.readTargets(groups);
  return Object.fromEntries(read.flatMap(({ targets }) => targets.map((one) => [nameOfTarget(one), one.state])));
};

test('a group of pods in another account is told as one that nobody can watch, beside what is seen', async () => {
  const podGroups = { names: [arn], inOtherAccounts, zones: [], zonesNeedCandidate: false };
  const service = { ...bound, podGroups };
  const theirs = { ...bound, key: 'default/theirs', podGroups: { ...podGroups, names: [] } };
  const { groups, unsupported } = await balancers.discover([service], { beside: [theirs] });

  expect(groups.map(({ id }) => id)).toEqual([arn]);
  expect(unsupported.map(({ service: key, why }) => [key, why])).toEqual([
    ['default/web', 'other-targets'],
    ['default/theirs', 'other-targets'],
  ]);
  expect(unsupported[0]?.detail).toContain('TargetGroupBinding default/peered');
  const clock = { now: () => 0, sleep: async () => undefined };
  expect(createElbFamily({ region: 'eu-west-1', clock }).claims(theirs)).toBe(true);
});

test('a target group that is bound to a Service is told with its pods, whatever the type of the Service', async () => {
  const { groups, unsupported } = await balancers.discover([bound]);
  expect(unsupported).toEqual([]);
  expect(groups).toMatchObject([
    {
      id: arn,
      name: 'web-ip',
      kind: 'elbv2-ip',
      membership: 'pods',
      service: 'default/web',
      loadBalancer: 'web',
      strandsDraining: false,
      deregistrationDelayMs: 300_000,
    },
  ]);
  cloud.clock.advance(4_000);
  for (let round = 0; round < 5; round += 1) cloud.plane.checkOnce(() => true);
  expect(await statesOf(groups)).toEqual({ [`${first}:8080`]: 'healthy', [`${second}:8080`]: 'healthy' });
});

test('a pod that is deregistered drains, and is absent after the delay', async () => {
  const { groups } = await balancers.discover([bound]);
  await cloud.elb.send(new DeregisterTargetsCommand(pods(first)));
  expect((await statesOf(groups))[`${first}:8080`]).toBe('draining');
  cloud.clock.advance(300_000);
  expect(Object.keys(await statesOf(groups))).toEqual([`${second}:8080`]);
});

test('behind a Service of type LoadBalancer, its own controller has told by tag that it registers pods; the group is read and told once', async () => {
  const tags = [{ Key: 'service.k8s.aws/stack', Value: 'default/web' }];
  await cloud.elb.send(new AddTagsCommand({ ResourceArns: [cloud.loadBalancerArn], Tags: tags }));
  const podGroups = { names: [arn], zones: [], zonesNeedCandidate: false };
  const { groups, unsupported } = await balancers.discover([balancedService(cloud, { podGroups })]);
  expect(unsupported).toEqual([]);
  expect(groups.map(({ kind }) => kind).toSorted()).toEqual(['elbv2-instance', 'elbv2-ip']);
  expect(calls(cloud.aws, 'DescribeTargetGroups')).toHaveLength(1);
  expect(calls(cloud.aws, 'DescribeLoadBalancers')).toHaveLength(1);
});

test('a binding whose target group is gone or gets no connections takes nothing from the others', async () => {
  const made = await cloud.elb.send(
    new CreateTargetGroupCommand({
      Name: 'alone',
      Protocol: 'TCP',
      Port: 8080,
      TargetType: 'ip',
      VpcId: cloud.aws.model.network.vpcId,
    }),
  );
  const alone = made.TargetGroups?.[0]?.TargetGroupArn ?? '';
  const { groups } = await balancers.discover([bind(arn, alone, `${arn}-gone`)]);
  expect(groups.map(({ id }) => id)).toEqual([arn]);
});

test('without a binding, nobody asks for target groups', async () => {
  await balancers.discover([balancedService(cloud, { type: 'ClusterIP', hostnames: [] })]);
  expect(calls(cloud.aws, 'DescribeTargetGroups')).toEqual([]);
});
