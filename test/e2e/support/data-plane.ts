import type { StreamConfig } from '../../../lab/traffic/prober.ts';
import { startTraffic, type Traffic } from '../../../lab/traffic/traffic.ts';
import type { TrafficTruth } from '../../../lab/traffic/truth.ts';
import { toolPaths } from '../../../scripts/setup/paths.ts';
import { CLIENT, CLIENT_ADDRESSES, type Server, type Topology } from '../../lab/dataplane/topology.ts';

/** Describes streams of requests to that URL, from all addresses of the clients. */
export function streamsTo(url: string) {
  return (kind: StreamConfig['kind'], rest: Partial<StreamConfig> & { ratePerSecond: number }): StreamConfig => {
    const urls = [kind === 'stream' ? `${url}stream` : url];
    return { name: kind, kind, urls, sourceAddresses: CLIENT_ADDRESSES, ...rest };
  };
}

/** Starts traffic of the clients, and stops at the end of a test what it has started. */
export function createSender() {
  let started: Traffic[] = [];
  return {
    send: (...streams: readonly StreamConfig[]): Traffic => {
      const { prober } = toolPaths();
      const traffic = startTraffic({ prober, namespace: CLIENT, config: { streams }, maxSeconds: 120 });
      started.push(traffic);
      return traffic;
    },
    stopAll: async (): Promise<void> => {
      await Promise.allSettled(started.map((traffic) => traffic.stop()));
      started = [];
    },
  };
}

/** The server of that name. */
export function serverIn({ servers }: Pick<Topology, 'servers'>, name: string): Server {
  const found = servers.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no server ${name}`);
  return found;
}

/** All servers but the one of that name. */
export function serversWithout({ servers }: Pick<Topology, 'servers'>, name: string): readonly Server[] {
  return servers.filter((candidate) => candidate.name !== name);
}

/** What clients lost. */
export function damage({ lost, cut, slow, inFlight }: TrafficTruth) {
  return { lost, cut, slow, inFlight };
}

/** Waits until the condition holds, at most 30 s. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`never: ${String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
