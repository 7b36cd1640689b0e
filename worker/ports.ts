import { systemClock } from '../adapters/clock/system-clock.ts';
import { createEksNodePools } from '../adapters/eks/node-pools.ts';
import { createElbLoadBalancers } from '../adapters/elb/load-balancers.ts';
import { createKubernetesCluster } from '../adapters/kubernetes/cluster.ts';
import { createNoNodePools } from '../adapters/no-provider/node-pools.ts';
import { createHttpTraffic } from '../adapters/probe/http-traffic.ts';
import type { NodeferryError } from '../core/model/problem.ts';
import { poolsByProvider } from '../operations/pools-by-provider.ts';
import type { Ports } from '../ports/ports.ts';
import type { WorkerConfig } from './config.ts';
import { createWindows } from './windows.ts';

/** The ports over the real systems, and how to close them. */
interface OpenPorts {
  readonly ports: Ports;
  close(): void;
}

/** Wires the adapters. Nothing is connected before the first step. */
export function openPorts(config: WorkerConfig, onEventLost: (error: NodeferryError) => void): OpenPorts {
  const clock = systemClock;
  const cluster = createKubernetesCluster({
    ...(config.leaseNamespace === undefined ? {} : { leaseNamespace: config.leaseNamespace }),
    onEventLost,
  });
  const rate = config.elbRatePerSecond;
  const ports: Ports = {
    clock,
    cluster,
    pools: poolsByProvider({ eks: createEksNodePools({ clock }), none: createNoNodePools() }),
    loadBalancers: createElbLoadBalancers({
      clock,
      region: config.region,
      ...(rate === undefined ? {} : { describeRatePerSecond: rate, describeBurst: 3 * rate }),
    }),
    traffic: createHttpTraffic(),
    timings: cluster.timings,
    windows: createWindows(),
  };
  return { ports, close: () => cluster.close() };
}
