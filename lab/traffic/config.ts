/** Prober configurations for the Services under test. */
import { clientAddresses } from '../network-plan.ts';
import type { ProberConfig, StreamConfig } from './prober.ts';

/** A Service as its clients see it. */
export interface TrafficTarget {
  /** Prefix of its streams' names: `web` results in `web/connect`, `web/keepalive` and so on. */
  readonly name: string;
  /** One URL for each address of its load balancer (one in each zone). */
  readonly urls: readonly string[];
}

/** How much traffic each Service gets; rates are requests per second. */
export interface TrafficVolume {
  readonly connect: number;
  readonly keepalive: number;
  readonly keepaliveClients: number;
  readonly long: number;
  readonly stream: number;
  /** How long a response of `/stream` continues, ms; default 20,000. */
  readonly streamDurationMs?: number;
}

/** What the demo sends to each Service. */
export const DEFAULT_VOLUME: TrafficVolume = {
  connect: 125,
  keepalive: 40,
  keepaliveClients: 20,
  long: 2,
  stream: 0.5,
};

/** The URLs of a load balancer from its addresses. */
export function loadBalancerUrls(vips: readonly string[], port: number): readonly string[] {
  return vips.map((vip) => `http://${vip}:${port}/`);
}

/**
 * Traffic from outside to load balancers: new connections, reused ones, 3 s requests and 20 s streams, from all client addresses. The URLs of streams
 * are `/stream` of the lab's app.
 */
export function outsideTraffic(
  targets: readonly TrafficTarget[],
  volume: TrafficVolume = DEFAULT_VOLUME,
  sourceAddresses: readonly string[] = clientAddresses(),
): ProberConfig {
  const streams = targets.flatMap(({ name, urls }): StreamConfig[] => [
    { name: `${name}/connect`, kind: 'connect', urls, ratePerSecond: volume.connect, sourceAddresses },
    {
      name: `${name}/keepalive`,
      kind: 'keepalive',
      urls,
      ratePerSecond: volume.keepalive,
      clients: volume.keepaliveClients,
      sourceAddresses,
    },
    { name: `${name}/long`, kind: 'long', urls, ratePerSecond: volume.long, sourceAddresses },
    {
      name: `${name}/stream`,
      kind: 'stream',
      urls: urls.map(streamUrl),
      ratePerSecond: volume.stream,
      ...(volume.streamDurationMs === undefined ? {} : { durationMs: volume.streamDurationMs }),
      sourceAddresses,
    },
  ]);
  return { streams: streams.filter((stream) => stream.ratePerSecond > 0) };
}

/** Traffic from a pod: new connections to Services by their cluster addresses. */
export function insideTraffic(targets: readonly TrafficTarget[], ratePerSecond: number): ProberConfig {
  return {
    streams: targets.map(({ name, urls }) => ({ name: `${name}/inside`, kind: 'connect', urls, ratePerSecond })),
  };
}

function streamUrl(url: string): string {
  return new URL('/stream', url).href;
}
