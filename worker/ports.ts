import { systemClock } from '../adapters/clock/system-clock.ts';
import { createElbLoadBalancers } from '../adapters/elb/load-balancers.ts';
import { createHttpTraffic } from '../adapters/probe/http-traffic.ts';
import type { NodeferryError } from '../core/model/problem.ts';
import type { Ports } from '../ports/ports.ts';
import { openCluster } from '../wiring/cluster.ts';
import { openNodePools } from '../wiring/providers.ts';
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
  const cluster = openCluster({
    ...(config.leaseNamespace === undefined ? {} : { leaseNamespace: config.leaseNamespace }),
    onEventLost,
  });
  const rate = config.elbRatePerSecond;
  const ports: Ports = {
    clock,
    cluster,
    pools: openNodePools({ clock }),
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
