import { setImmediate } from 'node:timers/promises';
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
  RegisterTargetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { createElbLoadBalancers } from '../../../adapters/elb/load-balancers.ts';
import type { NodeFacts } from '../../../core/model/node.ts';
import type { PodFacts } from '../../../core/model/pod.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import type { Ports } from '../../../ports/ports.ts';
import { aCluster, aNode, aPod, aService } from '../../core/support/facts.ts';
import { type Cloud, startCloud } from '../../lab/aws/support.ts';
import { pointSdkAt } from './support.ts';

/** A cloud with many load balancers, and what is needed of a cluster to exclude nodes. */
export interface CrowdedCloud {
  readonly ports: Ports;
  readonly clock: Clock;
  /** Of pool `web`, three. */
  readonly nodes: readonly NodeFacts[];
  /** Makes a Service of each load balancer, with a pod on those nodes of `web` (by number); with one elsewhere when there is none. */
  serve(hosts: (balancer: number) => readonly number[], changes?: Partial<ServiceFacts>): void;
  /** Calls to Elastic Load Balancing since the last question, by action. */
  callsSince(): Readonly<Record<string, number>>;
}

/** A node of another pool. */
const nodeElsewhere = 'batch-1';

/** Makes so many Network Load Balancers with two target groups each, in which all nodes of pool `web` are healthy, or those named. */
export async function startCrowdedCloud(
  balancers: number,
  healthyIn: (balancer: number) => readonly number[] = () => [0, 1, 2],
): Promise<CrowdedCloud> {
  const cloud = await startCloud({
    nodegroups: [{ name: 'web', version: '1.35', instanceType: 'm7i.large', size: 3 }],
  });
  cloud.clock.advance(0);
  pointSdkAt(cloud.aws.url);
  const nodes = [...cloud.aws.model.instances.values()].map(({ id, zone }, index) =>
    aNode(`web-${index}`, { instanceId: id, zone, cordoned: true }),
  );
  const ids = nodes.map(({ instanceId }) => instanceId);
  await Promise.all(
    Array.from({ length: balancers }, (_, balancer) =>
      createBalancer(
        cloud,
        balancer,
        healthyIn(balancer).map((node) => ids[node] ?? ''),
      ),
    ),
  );
  cloud.clock.advance(4_000);
  for (let times = 0; times < 2; times += 1) cloud.plane.checkOnce(() => true);
  cloud.clock.advance(500);

  const { clock, whileBusy } = idleClock();
  const rate = { describeRatePerSecond: 4, describeBurst: 100_000 };
  const adapter = createElbLoadBalancers({ region: 'eu-west-1', clock, ...rate });
  const loadBalancers: LoadBalancers = {
    discover: (...args) => whileBusy(adapter.discover(...args)),
    readTargets: (...args) => whileBusy(adapter.readTargets(...args)),
  };
  let services: readonly ServiceFacts[] = [];
  let pods: readonly PodFacts[] = [];
  const observe = async () => aCluster({ nodes: [...nodes, aNode(nodeElsewhere, { pool: 'batch' })], pods, services });
  const lock = { name: 'nodeferry-exclude', holder: 'run-1', token: 1 };
  const nothing = async () => undefined;
  const ports = {
    clock,
    loadBalancers,
    cluster: {
      observe,
      acquireLock: async () => lock,
      renewLock: nothing,
      releaseLock: nothing,
      requireLock: nothing,
      fenceLock: nothing,
      findIncomingPools: async () => [],
      guarded: () => ({ exclude: async () => 'done' }),
      recordEvent: nothing,
    },
  } as unknown as Ports;

  let told = cloud.aws.requests.length;
  return {
    ports,
    clock,
    nodes,
    serve: (hosts, changes = {}) => {
      const served = [...cloud.aws.model.loadBalancers.values()].map(({ name, dnsName }) => {
        const balancer = Number(name.replace('lb-', ''));
        const own = hosts(balancer).map((node) => nodes[node]?.name ?? '');
        const behind = (own.length === 0 ? [nodeElsewhere] : own).map((host, pod) =>
          aPod(`svc${balancer}-${pod}`, host),
        );
        return { behind, service: aService(`svc${balancer}`, behind, { hostnames: [dnsName], ...changes }) };
      });
      pods = served.flatMap(({ behind }) => behind);
      services = served.map(({ service }) => service);
    },
    callsSince: () => {
      const made = cloud.aws.requests.slice(told);
      told = cloud.aws.requests.length;
      return Object.fromEntries(
        [...Map.groupBy(made, ({ action }) => action)].map(([name, all]) => [name, all.length]),
      );
    },
  };
}

async function createBalancer({ elb, aws }: Cloud, index: number, ids: readonly string[]): Promise<void> {
  const { LoadBalancers } = await elb.send(
    new CreateLoadBalancerCommand({
      Name: `lb-${index}`,
      Type: 'network',
      Subnets: aws.model.network.subnets.map(({ id }) => id),
      Tags: [{ Key: 'kubernetes.io/service-name', Value: `default/svc${index}` }],
    }),
  );
  for (const Port of [80, 443]) {
    const { TargetGroups } = await elb.send(
      new CreateTargetGroupCommand({
        Name: `tg-${index}-${Port}`,
        Protocol: 'TCP',
        Port: 30_000 + Port,
        VpcId: aws.model.network.vpcId,
        HealthCheckProtocol: 'HTTP',
        HealthCheckPort: '31000',
        HealthyThresholdCount: 2,
      }),
    );
    const TargetGroupArn = TargetGroups?.[0]?.TargetGroupArn;
    const forward = [{ Type: 'forward' as const, TargetGroupArn }];
    const LoadBalancerArn = LoadBalancers?.[0]?.LoadBalancerArn;
    await elb.send(new CreateListenerCommand({ LoadBalancerArn, Port, Protocol: 'TCP', DefaultActions: forward }));
    await elb.send(new RegisterTargetsCommand({ TargetGroupArn, Targets: ids.map((Id) => ({ Id })) }));
  }
}

/** A clock that moves on to who wakes next whenever everybody sleeps and nothing is being read. */
function idleClock() {
  let now = Date.parse('2026-01-01T00:00:00Z');
  let busy = 0;
  let moving = false;
  let sleepers: { readonly wakeAt: number; readonly wake: () => void }[] = [];

  async function move(): Promise<void> {
    if (moving) return;
    moving = true;
    while (sleepers.length > 0) {
      await setImmediate();
      if (busy > 0 || sleepers.length === 0) continue;
      now = Math.max(now, Math.min(...sleepers.map(({ wakeAt }) => wakeAt)));
      for (const { wakeAt, wake } of sleepers) if (wakeAt <= now) wake();
    }
    moving = false;
  }

  const clock: Clock = {
    now: () => now,
    sleep: async (ms, signal) => {
      if (signal?.aborted === true) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper = { wakeAt: now + ms, wake };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
        void move();
      });
    },
  };
  return {
    clock,
    whileBusy: async <T>(work: Promise<T>): Promise<T> => {
      busy += 1;
      try {
        return await work;
      } finally {
        busy -= 1;
      }
    },
  };
}
