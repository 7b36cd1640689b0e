import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDataPlane, type LabDataPlane } from '../../lab/dataplane/nft.ts';
import { toolPaths } from '../../scripts/setup/paths.ts';
import {
  CLIENT,
  CLIENT_ADDRESSES,
  createTopology,
  inside,
  LOAD_BALANCER,
  PASSTHROUGH_PORT,
  PASSTHROUGH_VIP,
  type Server,
  type Topology,
} from '../lab/dataplane/topology.ts';
import { createSender, damage, serverIn, serversWithout, streamsTo, until } from './support/data-plane.ts';

const URL_ = `http://${PASSTHROUGH_VIP}:${PASSTHROUGH_PORT}/`;
const undamaged = { lost: 0, cut: 0, slow: 0, inFlight: 0 };

const stream = streamsTo(URL_);
const connect = stream('connect', { ratePerSecond: 100, timeoutMs: 3_000 });

let topology: Topology;
let dataPlane: LabDataPlane;
const { send, stopAll } = createSender();
const server = (name: string) => serverIn(topology, name);
const without = (name: string) => serversWithout(topology, name);

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
});

describe('packets that are passed through', () => {
  it('reach every target, from the client’s own address and with the load balancer’s as destination', async () => {
    const streams = send(stream('stream', { ratePerSecond: 20, durationMs: 3_000 }));
    for (const server of topology.servers) {
      await until(async () => (await connections(server)).length > 0);
      for (const { local, peer } of await connections(server)) {
        expect(local).toBe(`${PASSTHROUGH_VIP}:${PASSTHROUGH_PORT}`);
        expect(CLIENT_ADDRESSES).toContain(peer);
      }
    }
    expect(damage(await streams.stop())).toEqual(undamaged);
  });

  it('are answered past the load balancer', async () => {
    const answers = (leg: string) => `iifname ${leg} tcp sport ${PASSTHROUGH_PORT} counter`;
    const hook = 'type filter hook prerouting priority raw';
    await inside(CLIENT, 'nft', `table ip watch { chain c { ${hook}; ${answers('out')}; ${answers('fabric')}; }; }`);
    try {
      const traffic = send(connect);
      await traffic.waitUntilClean(1);
      const counted = await inside(CLIENT, 'nft', 'list', 'table', 'ip', 'watch');
      expect(counted).toMatch(/iifname "out" .* counter packets 0 /);
      expect(counted).toMatch(/iifname "fabric" .* counter packets [1-9]/);
    } finally {
      await inside(CLIENT, 'nft', 'delete', 'table', 'ip', 'watch');
    }
  });

  it('are spread over the targets by connection', async () => {
    const traffic = send(connect);
    await traffic.waitUntilClean(2);
    const { pods, sent, ok } = await traffic.stop();
    expect(ok).toBe(sent);
    expect(Object.keys(pods).sort()).toEqual(['first', 'second', 'third']);
    for (const answers of Object.values(pods)) expect(answers).toBeGreaterThan(sent / 6);
  });

  it('are all answered while the rules are replaced 40 times under 400 connections a second', async () => {
    const traffic = send({ ...connect, ratePerSecond: 400 });
    await traffic.waitUntilClean(2);
    traffic.zero();
    for (let n = 0; n < 40; n++) await sendTo(n % 2 === 0 ? topology.servers.slice(0, 2) : topology.servers.slice(1));
    expect(damage(await traffic.stop())).toEqual(undamaged);
  });

  it('are dropped when there is no target, and on ports without a listener', async () => {
    await sendTo([]);
    const other = `http://${PASSTHROUGH_VIP}:81/`;
    const blocked = send({ ...connect, urls: [URL_, other], ratePerSecond: 20, timeoutMs: 500 });
    await until(async () => blocked.truth().lost > 5);
    const truth = await blocked.stop();
    expect(truth.ok).toBe(0);
    expect(truth.incidents.every((incident) => incident.error?.includes('timeout'))).toBe(true);
  });
});

describe('a target that leaves', () => {
  it('gets no new connection and finishes every one that it has', async () => {
    const streams = send(
      stream('stream', { ratePerSecond: 10, durationMs: 4_000 }),
      stream('keepalive', { ratePerSecond: 40, clients: 20 }),
    );
    await until(async () => (streams.truth().pods['first'] ?? 0) > 0);
    const before = await connections(server('first'));
    await sendTo(without('first'));
    const fresh = send(connect);
    await fresh.waitUntilClean(2);
    expect(Object.keys((await fresh.stop()).pods).sort()).toEqual(['second', 'third']);
    expect(before.length).toBeGreaterThan(0);
    expect(damage(await streams.stop())).toEqual(undamaged);
  });
});

describe('breaking flows', () => {
  it('resets those to one target and leaves the others alone', async () => {
    const traffic = send(stream('stream', { ratePerSecond: 10, durationMs: 4_000 }));
    await until(async () => traffic.truth().inFlight >= 30);
    await sendTo(without('first'));
    traffic.zero();
    await breakFlowsTo('first');
    await until(async () => traffic.truth().cut > 0);
    const truth = await traffic.stop();
    expect(truth.lost + truth.inFlight).toBe(0);
    expect(truth.incidents.every(({ pod, error }) => pod === 'first' && error?.includes('reset'))).toBe(true);
  });

  it('is over for connections that come later, to a target that stays', async () => {
    const idle = send(stream('keepalive', { ratePerSecond: 40, clients: 20 }));
    await idle.waitUntilClean(2);
    await breakFlowsTo('first');
    await until(async () => idle.truth().retried > 0);
    expect(damage(await idle.stop())).toEqual(undamaged);
    const traffic = send(connect);
    await traffic.waitUntilClean(2);
    const truth = await traffic.stop();
    expect(damage(truth)).toEqual(undamaged);
    expect(Object.keys(truth.pods).sort()).toEqual(['first', 'second', 'third']);
  });

  it('of one listener leaves those of another on the same target alone', async () => {
    const traffic = send(stream('stream', { ratePerSecond: 10, durationMs: 2_000 }));
    await until(async () => traffic.truth().inFlight >= 15);
    const rule = topology.passthroughRule(topology.servers);
    dataPlane.forward([rule, { ...rule, port: PASSTHROUGH_PORT + 1 }]);
    dataPlane.breakFlows([{ ...flowsTo('first'), port: PASSTHROUGH_PORT + 1 }]);
    await dataPlane.settled();
    expect(damage(await traffic.stop())).toEqual(undamaged);
  });
});

it('leaves no routing rule behind', async () => {
  const before = await inside(LOAD_BALANCER, 'ip', 'rule', 'show');
  expect(before).toContain('fwmark');
  await dataPlane.close();
  expect(await inside(LOAD_BALANCER, 'ip', 'rule', 'show')).not.toContain('fwmark');
});

async function sendTo(servers: readonly Server[]): Promise<void> {
  dataPlane.forward([topology.passthroughRule(servers)]);
  await dataPlane.settled();
}

async function breakFlowsTo(name: string): Promise<void> {
  dataPlane.breakFlows([flowsTo(name)]);
  await dataPlane.settled();
}

function flowsTo(name: string) {
  return { vip: PASSTHROUGH_VIP, port: PASSTHROUGH_PORT, targetIp: server(name).ip, targetPort: 0 };
}

/** Established connections of the server with clients: its own address and port, and the client's address. */
async function connections({ namespace }: Server) {
  const lines = await inside(namespace, 'ss', '-Htn', 'state', 'established');
  const found = lines.matchAll(/(?:\[::ffff:)?(\d+\.\d+\.\d+\.\d+)\]?:(\d+)\s+(?:\[::ffff:)?(10\.9\.0\.\d+)\]?:\d+/g);
  return [...found].map(([, ip, port, peer]) => ({ local: `${ip}:${port}`, peer }));
}
