import { systemClock } from '../adapters/clock/system-clock.ts';
import { createHttpTraffic } from '../adapters/probe/http-traffic.ts';
import type { NodeferryError } from '../core/model/problem.ts';
import type { Ports } from '../ports/ports.ts';
import { openCluster } from '../wiring/cluster.ts';
import { openLoadBalancers } from '../wiring/load-balancers.ts';
import { openNodePools } from '../wiring/node-pools.ts';
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
  const { awsRegion, google, elbRatePerSecond, gceRatePerSecond } = config;
  const ports: Ports = {
    clock,
    cluster,
    pools: openNodePools({ clock, google }),
    loadBalancers: openLoadBalancers({ clock, awsRegion, google, elbRatePerSecond, gceRatePerSecond }),
    traffic: createHttpTraffic(),
    timings: cluster.timings,
    windows: createWindows(),
  };
  return { ports, close: () => cluster.close() };
}
