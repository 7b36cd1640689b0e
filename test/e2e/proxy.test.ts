import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDataPlane, type LabDataPlane } from '../../lab/dataplane/nft.ts';
import { ADDRESSES } from '../../lab/network-plan.ts';
import { toolPaths } from '../../scripts/setup/paths.ts';
import {
  createTopology,
  inside,
  LOAD_BALANCER,
  type Server,
  type Topology,
  VIP,
  VIP_PORT,
} from '../lab/dataplane/topology.ts';
import { createSender, damage, serverIn, serversWithout, streamsTo, until } from './support/data-plane.ts';

const undamaged = { lost: 0, cut: 0, slow: 0, inFlight: 0 };

const stream = streamsTo(`http://${VIP}:${VIP_PORT}/`);
const connect = stream('connect', { ratePerSecond: 100, timeoutMs: 3_000 });

let topology: Topology;
let dataPlane: LabDataPlane;
const { send, stopAll } = createSender();
const server = (name: string) => serverIn(topology, name);
const without = (name: string) => serversWithout(topology, name);

// The servers would answer clients directly: what comes back has been sent to the load balancer.
beforeAll(async () => {
  topology = await createTopology(toolPaths().app, ['first', 'second', 'third'], 'directly');
});

afterAll(() => topology.close());

beforeEach(async () => {
  dataPlane = createDataPlane({ namespace: LOAD_BALANCER });
  await sendTo(topology.servers);
});

afterEach(async () => {
  await stopAll();
  await dataPlane.close();
  await inside(LOAD_BALANCER, 'conntrack', '-F');
});

describe('connections through a proxy', () => {
  it('reach every target, from an address of the load balancer', async () => {
    const streams = send(stream('stream', { ratePerSecond: 20, durationMs: 3_000 }));
    for (const one of topology.servers) {
      await until(async () => (await peers(one)).length > 0);
      expect([...new Set(await peers(one))]).toEqual([ADDRESSES.gateway]);
    }
    expect(damage(await streams.stop())).toEqual(undamaged);
  });

  it('go on when their target leaves, and new ones go elsewhere', async () => {
    const streams = send(stream('stream', { ratePerSecond: 10, durationMs: 4_000 }));
    await until(async () => (streams.truth().pods['first'] ?? 0) > 0);
    await sendTo(without('first'));
    const fresh = send(connect);
    await fresh.waitUntilClean(2);
    expect(Object.keys((await fresh.stop()).pods).toSorted()).toEqual(['second', 'third']);
    expect(damage(await streams.stop())).toEqual(undamaged);
  });

  it('are reset at once when the time of their target is over', async () => {
    const traffic = send(stream('stream', { ratePerSecond: 10, durationMs: 4_000 }));
    await until(async () => traffic.truth().inFlight >= 30);
    await sendTo(without('first'));
    traffic.zero();
    const { ip } = server('first');
    dataPlane.breakFlows([{ vip: VIP, port: VIP_PORT, targetIp: ip, targetPort: 8080 }]);
    await dataPlane.settled();
    await until(async () => traffic.truth().cut > 0);
    const truth = await traffic.stop();
    expect(truth.lost + truth.inFlight).toBe(0);
    expect(truth.incidents.every(({ pod, error }) => pod === 'first' && error?.includes('reset'))).toBe(true);
    expect(await peers(server('first'))).toEqual([]);
  });
});

async function sendTo(servers: readonly Server[]): Promise<void> {
  dataPlane.forward([{ ...topology.rule(servers), mode: 'proxy' }]);
  await dataPlane.settled();
}

/** From where the connections of a server come. */
async function peers({ namespace }: Server): Promise<readonly string[]> {
  const lines = await inside(namespace, 'ss', '-Htn', 'state', 'established');
  return [...lines.matchAll(/(\d+\.\d+\.\d+\.\d+)\]?:\d+\s*$/gm)].map((match) => match[1] ?? '');
}
