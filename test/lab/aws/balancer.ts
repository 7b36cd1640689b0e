import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
  DeregisterTargetsCommand,
  DescribeTargetHealthCommand,
  ModifyTargetGroupAttributesCommand,
  RegisterTargetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ServerTls } from '../../../lab/certificates.ts';
import { type Cloud, startCloud } from './support.ts';

/** A cloud with four nodes in two zones behind one network load balancer. */
export interface BalancedCloud extends Cloud {
  readonly loadBalancerArn: string;
  readonly targetGroupArn: string;
  /** Instance ids, zone a before zone b. */
  readonly nodes: readonly string[];
  /** Addresses in the order of `nodes`. */
  readonly ips: readonly string[];
  register(ids: readonly string[]): Promise<void>;
  deregister(ids: readonly string[]): Promise<void>;
  setAttribute(key: string, value: string): Promise<void>;
  /** State and reason by instance id. */
  health(): Promise<Record<string, string>>;
  /** Addresses that get new connections, by zone. */
  receivers(): Record<string, string[]>;
  /** Registers all nodes and lets their health checks pass. */
  becomeHealthy(): Promise<void>;
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the answer lacks a member');
  return value;
}

/** Starts it; no node is registered yet. */
export async function startBalancedCloud(options: { readonly tls?: ServerTls } = {}): Promise<BalancedCloud> {
  const cloud = await startCloud({
    ...options,
    nodegroups: [{ name: 'web', version: '1.35', instanceType: 'm7i.large', size: 4 }],
  });
  cloud.clock.advance(0);
  const { elb, clock, plane } = cloud;
  const instances = [...cloud.aws.model.instances.values()].sort((a, b) => a.zone.localeCompare(b.zone));
  const nodes = instances.map(({ id }) => id);
  const balancers = await elb.send(
    new CreateLoadBalancerCommand({
      Name: 'web',
      Type: 'network',
      Subnets: cloud.aws.model.network.subnets.map(({ id }) => id),
    }),
  );
  const groups = await elb.send(
    new CreateTargetGroupCommand({
      Name: 'web-tg',
      Protocol: 'TCP',
      Port: 30080,
      VpcId: cloud.aws.model.network.vpcId,
      HealthCheckProtocol: 'HTTP',
      HealthCheckPort: '31000',
      HealthCheckPath: '/healthz',
      HealthCheckIntervalSeconds: 10,
      HealthyThresholdCount: 2,
      UnhealthyThresholdCount: 2,
    }),
  );
  const loadBalancerArn = must(balancers.LoadBalancers?.[0]?.LoadBalancerArn);
  const targetGroupArn = must(groups.TargetGroups?.[0]?.TargetGroupArn);
  await elb.send(
    new CreateListenerCommand({
      LoadBalancerArn: loadBalancerArn,
      Port: 80,
      Protocol: 'TCP',
      DefaultActions: [{ Type: 'forward', TargetGroupArn: targetGroupArn }],
    }),
  );
  const targets = (ids: readonly string[]) => ({
    TargetGroupArn: targetGroupArn,
    Targets: ids.map((Id) => ({ Id, Port: 30080 })),
  });
  const register = async (ids: readonly string[]) => {
    await elb.send(new RegisterTargetsCommand(targets(ids)));
  };
  return {
    ...cloud,
    loadBalancerArn,
    targetGroupArn,
    nodes,
    ips: instances.map(({ privateIp }) => privateIp),
    register,
    deregister: async (ids) => {
      await elb.send(new DeregisterTargetsCommand(targets(ids)));
    },
    setAttribute: async (Key, Value) => {
      await elb.send(
        new ModifyTargetGroupAttributesCommand({ TargetGroupArn: targetGroupArn, Attributes: [{ Key, Value }] }),
      );
    },
    health: async () => {
      const answer = await elb.send(new DescribeTargetHealthCommand({ TargetGroupArn: targetGroupArn }));
      return Object.fromEntries(
        (answer.TargetHealthDescriptions ?? []).map(({ Target, TargetHealth }) => [
          must(Target?.Id),
          [TargetHealth?.State, TargetHealth?.Reason].filter((part) => part !== undefined).join(' '),
        ]),
      );
    },
    receivers: () =>
      Object.fromEntries(plane.rules.map(({ zone, targets: found }) => [zone, found.map(({ ip }) => ip).sort()])),
    becomeHealthy: async () => {
      await register(nodes);
      clock.advance(4_000);
      plane.checkOnce(() => true);
      plane.checkOnce(() => true);
      clock.advance(500);
    },
  };
}
