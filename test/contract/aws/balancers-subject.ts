import {
  AddTagsCommand,
  CreateListenerCommand,
  CreateTargetGroupCommand,
  DeleteListenerCommand,
  DeleteTargetGroupCommand,
  DescribeListenersCommand,
  RemoveTagsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { createElbLoadBalancers } from '../../../adapters/elb/load-balancers.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { type BalancedCloud, startBalancedCloud } from '../../lab/aws/balancer.ts';
import type { BalancerActs, BalancersSubject } from '../cases/balancers-subject.ts';
import { pointSdkAt, tls } from './support.ts';

const serviceTag = 'kubernetes.io/service-name';

/** The ELB adapter, before the simulated AWS with one Network Load Balancer that the service controller has made. */
export async function openAwsBalancers(): Promise<BalancersSubject> {
  const cloud = await startBalancedCloud({ tls });
  pointSdkAt(cloud.aws.url);
  await cloud.elb.send(
    new AddTagsCommand({ ResourceArns: [cloud.loadBalancerArn], Tags: [{ Key: serviceTag, Value: 'default/web' }] }),
  );
  await cloud.becomeHealthy();
  const clock = { now: () => cloud.clock.now(), sleep: async (ms: number) => cloud.clock.advance(ms) };
  return {
    loadBalancers: createElbLoadBalancers({ region: 'eu-west-1', clock, maxAttempts: 2 }),
    web: balancedService(cloud),
    nodes: cloud.nodes,
    cloud: actsOn(cloud),
    close: async () => undefined,
  };
}

/** The Service that the cloud's load balancer is for, with changes. */
export function balancedService(cloud: BalancedCloud, overrides: Partial<ServiceFacts> = {}): ServiceFacts {
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

function actsOn(cloud: BalancedCloud): BalancerActs {
  const check = (passes: (ip: string) => boolean) => {
    for (let round = 0; round < 2; round += 1) cloud.plane.checkOnce(passes);
  };
  return {
    settle: () => {
      cloud.clock.advance(300_000);
      check(() => true);
    },
    deregister: async (instanceId) => await cloud.deregister([instanceId]),
    register: async (instanceId) => await cloud.register([instanceId]),
    failChecks: async (instanceId) => check((ip) => ip !== cloud.ips[cloud.nodes.indexOf(instanceId)]),
    change: async () => await cloud.setAttribute('load_balancing.cross_zone.enabled', 'true'),
    removeTags: async () => {
      const input = { ResourceArns: [cloud.loadBalancerArn], TagKeys: [serviceTag] };
      await cloud.elb.send(new RemoveTagsCommand(input));
    },
    addPodTargets: async () => void (await addPodTargets(cloud)),
    deleteTargetGroup: async () => await deleteTargetGroup(cloud),
  };
}

/** Adds a target group with pods’ addresses as targets to the load balancer. */
export async function addPodTargets({ elb, aws, loadBalancerArn }: BalancedCloud): Promise<string> {
  const made = await elb.send(
    new CreateTargetGroupCommand({
      Name: 'web-ip',
      Protocol: 'TCP',
      Port: 8080,
      TargetType: 'ip',
      VpcId: aws.model.network.vpcId,
    }),
  );
  await elb.send(
    new CreateListenerCommand({
      LoadBalancerArn: loadBalancerArn,
      Port: 8080,
      Protocol: 'TCP',
      DefaultActions: [{ Type: 'forward', TargetGroupArn: made.TargetGroups?.[0]?.TargetGroupArn }],
    }),
  );
  return made.TargetGroups?.[0]?.TargetGroupArn ?? '';
}

async function deleteTargetGroup({ elb, loadBalancerArn, targetGroupArn }: BalancedCloud): Promise<void> {
  const { Listeners = [] } = await elb.send(new DescribeListenersCommand({ LoadBalancerArn: loadBalancerArn }));
  for (const { ListenerArn } of Listeners) await elb.send(new DeleteListenerCommand({ ListenerArn }));
  await elb.send(new DeleteTargetGroupCommand({ TargetGroupArn: targetGroupArn }));
}
