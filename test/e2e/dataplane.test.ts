import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HealthProbe, ProbeResult } from '../../lab/contracts.ts';
import { createDataPlane, type LabDataPlane } from '../../lab/dataplane/nft.ts';
import { run } from '../../lab/process.ts';
import { parseLine } from '../../lab/traffic/prober.ts';
import { toolPaths } from '../../scripts/setup/paths.ts';
import {
  CLIENT,
  CLIENT_ADDRESSES,
  createTopology,
  inside,
  LOAD_BALANCER,
  type Server,
  type Topology,
  VIP,
  VIP_PORT,
} from '../lab/dataplane/topology.ts';
import { createSender, damage, serverIn, serversWithout, streamsTo, until } from './support/data-plane.ts';

const URL_ = `http://${VIP}:${VIP_PORT}/`;

const stream = streamsTo(URL_);
const connect = stream('connect', { ratePerSecond: 100, timeoutMs: 3_000 });

let topology: Topology;
let dataPlane: LabDataPlane;
const { send, stopAll } = createSender();
const server = (name: string) => serverIn(topology, name);
const without = (name: string) => serversWithout(topology, name);

beforeAll(async () => {
  topology = await createTopology(toolPaths().app, ['first', 'second', 'third']);
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

describe('the forwarding of new connections', () => {
  it('spreads them over all targets', async () => {
    const traffic = send(connect);
    await traffic.waitUntilClean(2);
    const { pods, sent, ok } = await traffic.stop();
    expect(ok).toBe(sent);
    expect(Object.keys(pods).sort()).toEqual(['first', 'second', 'third']);
    for (const answers of Object.values(pods)) expect(answers).toBeGreaterThan(sent / 6);
  });

  it('shows the client’s own address to the target', async () => {
    send(stream('stream', { ratePerSecond: 4, durationMs: 3_000 }));
    const first = server('first');
    await until(async () => (await peers(first)).some((peer) => CLIENT_ADDRESSES.includes(peer)));
  });

  it('loses nothing while the rules are replaced 40 times under 400 connections a second', async () => {
    const traffic = send({ ...connect, ratePerSecond: 400 });
    await traffic.waitUntilClean(2);
    traffic.zero();
    for (let n = 0; n < 40; n++) await sendTo(n % 2 === 0 ? topology.servers.slice(0, 2) : topology.servers.slice(1));
    expect(damage(await traffic.stop())).toEqual({ lost: 0, cut: 0, slow: 0, inFlight: 0 });
  });

  it('drops them when there is no target, and takes them again when there is one', async () => {
    await sendTo([]);
    const blocked = send({ ...connect, ratePerSecond: 20, timeoutMs: 500 });
    await until(async () => blocked.truth().lost > 5);
    const truth = await blocked.stop();
    expect(truth.ok).toBe(0);
    expect(truth.incidents.every((incident) => incident.error?.includes('timeout'))).toBe(true);
    // The connection is found by its port in what the kernel of a node or of a load balancer says, although it never was one.
    expect(truth.incidents.every((incident) => /^\d+\.\d+\.\d+\.\d+:[1-9]\d*$/.test(incident.local ?? ''))).toBe(true);
    await sendTo(topology.servers);
    const traffic = send(connect);
    await traffic.waitUntilClean(1);
  });

  it('drops what is sent to an address or port that no load balancer has', async () => {
    const traffic = send({ ...connect, urls: ['http://10.0.200.9/', `http://${VIP}:81/`], timeoutMs: 500 });
    await until(async () => traffic.truth().lost > 5);
    const truth = await traffic.stop();
    expect(truth.ok).toBe(0);
    expect(truth.incidents.every((incident) => incident.error?.includes('timeout'))).toBe(true);
  });
});

describe('a target that leaves', () => {
  it('gets no new connection and finishes every one that it has', async () => {
    const streams = send(
      stream('stream', { ratePerSecond: 10, durationMs: 4_000 }),
      stream('long', { ratePerSecond: 10 }),
    );
    await until(async () => (streams.truth().pods['first'] ?? 0) > 0);
    await sendTo(without('first'));
    const fresh = send(connect);
    await fresh.waitUntilClean(2);
    expect(Object.keys((await fresh.stop()).pods).sort()).toEqual(['second', 'third']);
    const truth = await streams.stop();
    expect(truth.pods['first']).toBeGreaterThan(0);
    expect(damage(truth)).toEqual({ lost: 0, cut: 0, slow: 0, inFlight: 0 });
  });

  it('gets new connections again when it comes back', async () => {
    await sendTo(without('first'));
    const traffic = send(connect);
    await traffic.waitUntilClean(1);
    await sendTo(topology.servers);
    await until(async () => (traffic.truth().pods['first'] ?? 0) > 0);
    expect(damage(await traffic.stop())).toEqual({ lost: 0, cut: 0, slow: 0, inFlight: 0 });
  });
});

describe('breaking flows', () => {
  it('resets those to one target at once and leaves the others alone', async () => {
    const traffic = send(stream('stream', { ratePerSecond: 10, durationMs: 4_000 }));
    await until(async () => traffic.truth().inFlight >= 30);
    await sendTo(without('first'));
    traffic.zero();
    dataPlane.breakFlows([flowsTo(server('first'))]);
    await dataPlane.settled();
    await until(async () => traffic.truth().cut > 0);
    const truth = await traffic.stop();
    expect(truth.lost + truth.inFlight).toBe(0);
    expect(truth.incidents.every(({ pod, error }) => pod === 'first' && error?.includes('reset'))).toBe(true);
    // The target has been told as well and holds nothing any more.
    expect(await peers(server('first'))).toEqual([]);
  });

  it('costs clients with idle connections no request, because they send it again over a fresh one', async () => {
    const traffic = send(stream('keepalive', { ratePerSecond: 40, clients: 20 }));
    await traffic.waitUntilClean(2);
    traffic.zero();
    await sendTo(without('first'));
    dataPlane.breakFlows([flowsTo(server('first'))]);
    await dataPlane.settled();
    await until(async () => traffic.truth().retried > 0);
    expect(damage(await traffic.stop())).toEqual({ lost: 0, cut: 0, slow: 0, inFlight: 0 });
  });

  it('happens also to connections that the load balancer has forgotten', async () => {
    const traffic = send(stream('keepalive', { ratePerSecond: 40, clients: 20 }));
    await traffic.waitUntilClean(2);
    traffic.zero();
    await inside(LOAD_BALANCER, 'conntrack', '-F');
    await until(async () => traffic.truth().retried >= 20);
    expect(damage(await traffic.stop())).toEqual({ lost: 0, cut: 0, slow: 0, inFlight: 0 });
  });
});

describe('the account of traffic', () => {
  it('counts a request as slow, not lost, when only its first SYN was dropped', async () => {
    const traffic = send(connect);
    await traffic.waitUntilClean(1);
    traffic.zero();
    const rules = 'table ip hole { chain in { type filter hook input priority filter; tcp flags syn drop; }; }';
    await inside(server('first').namespace, 'nft', rules);
    await new Promise((resolve) => setTimeout(resolve, 400));
    await inside(server('first').namespace, 'nft', 'delete table ip hole');
    await until(async () => traffic.truth().slow > 0);
    const truth = await traffic.stop();
    expect(truth.lost + truth.cut + truth.inFlight).toBe(0);
    expect(truth.incidents.every(({ slow, retransmits }) => slow && retransmits > 0)).toBe(true);
  });

  it('counts every connection to a dead target as lost until it has left the rules', async () => {
    const traffic = send({ ...connect, timeoutMs: 500 });
    await traffic.waitUntilClean(1);
    traffic.zero();
    await inside(LOAD_BALANCER, 'ip', 'link', 'set', 'first', 'down');
    try {
      await until(async () => traffic.truth().lost > 10);
      await sendTo(without('first'));
      await traffic.waitUntilClean(2);
    } finally {
      await inside(LOAD_BALANCER, 'ip', 'link', 'set', 'first', 'up');
    }
    const truth = await traffic.stop();
    expect(truth.incidentCount).toBe(truth.lost);
    expect(truth.lastBadAt).toBeGreaterThan(truth.firstBadAt ?? Number.POSITIVE_INFINITY);
  });
});

describe('the prober', () => {
  const config = JSON.stringify({ streams: [{ ...connect, ratePerSecond: 50 }] });

  it('ends by itself with a summary when its standard input closes', async () => {
    const lines = await runProber(['-max', '60s'], config);
    expect(lines.at(-1)).toMatchObject({ type: 'summary' });
  });

  it('ends by itself with a summary after its time, and logs every request if told to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nodeferry-prober-'));
    try {
      const [out, requests, configFile] = ['out', 'requests', 'config'].map((name) => join(folder, name));
      await writeFile(configFile ?? '', config);
      await runProber(['-config', configFile ?? '', '-max', '1s', '-out', out ?? '', '-requests', requests ?? ''], '');
      const summary = parse(await readFile(out ?? '', 'utf8')).at(-1);
      const sent = summary?.type === 'summary' ? (summary.streams['connect']?.sent ?? 0) : 0;
      expect(sent).toBeGreaterThanOrEqual(50);
      expect((await readFile(requests ?? '', 'utf8')).trim().split('\n')).toHaveLength(sent);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('health checks', () => {
  it('tell healthy, refused, wrong and silent targets apart', async () => {
    const ip = server('first').ip;
    const latest = new Map<string, ProbeResult>();
    const check = { ip, port: 8080, path: '/readyz', protocol: 'HTTP', intervalMs: 200, timeoutMs: 150 } as const;
    const probes: readonly HealthProbe[] = [
      { ...check, id: 'healthy' },
      { ...check, id: 'wrong', path: '/?sleep=nonsense' },
      { ...check, id: 'silent', path: '/?sleep=3s' },
      { ...check, id: 'closed', port: 9 },
      { ...check, id: 'tcp', protocol: 'TCP' },
      { ...check, id: 'tcp-closed', protocol: 'TCP', port: 9 },
    ];
    dataPlane.probe(probes, (result) => latest.set(result.id, result));
    await until(async () => latest.size === probes.length);
    expect(latest.get('healthy')).toMatchObject({ ok: true, detail: 'HTTP 200' });
    expect(latest.get('wrong')).toMatchObject({ ok: false, detail: 'HTTP 400' });
    expect(latest.get('silent')).toMatchObject({ ok: false, detail: 'timed out' });
    expect(latest.get('closed')).toMatchObject({ ok: false, detail: expect.stringContaining('ECONNREFUSED') });
    expect(latest.get('tcp')).toMatchObject({ ok: true });
    expect(latest.get('tcp-closed')).toMatchObject({ ok: false, detail: expect.stringContaining('ECONNREFUSED') });
  });

  it('go on after their process was killed, which is reported', async () => {
    await dataPlane.close();
    const errors: Error[] = [];
    dataPlane = createDataPlane({ namespace: LOAD_BALANCER, onError: (error) => errors.push(error) });
    const { ip } = server('first');
    const check = { ip, port: 8080, path: '/readyz', protocol: 'HTTP', intervalMs: 100, timeoutMs: 100 } as const;
    let results = 0;
    dataPlane.probe([{ ...check, id: 'first' }], () => results++);
    await until(async () => results > 0);
    const pids = (await run('ip', ['netns', 'pids', LOAD_BALANCER])).trim().split('\n').map(Number);
    expect(pids).toHaveLength(1);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await until(async () => errors.length === 1);
    results = 0;
    await until(async () => results > 0);
  });

  it('stop for targets that have left the set', async () => {
    const { ip } = server('first');
    const check = { ip, port: 8080, path: '/readyz', protocol: 'HTTP', intervalMs: 100, timeoutMs: 100 } as const;
    let seen: string[] = [];
    dataPlane.probe(
      [
        { ...check, id: 'stays' },
        { ...check, id: 'leaves' },
      ],
      ({ id }) => seen.push(id),
    );
    await until(async () => seen.includes('stays') && seen.includes('leaves'));
    dataPlane.probe([{ ...check, id: 'stays' }], ({ id }) => seen.push(id));
    seen = [];
    await until(async () => seen.length > 5);
    expect(seen).not.toContain('leaves');
  });
});

async function runProber(args: readonly string[], input: string) {
  const namespace = [`--net=/run/netns/${CLIENT}`];
  return parse(await run('nsenter', [...namespace, toolPaths().prober, ...args], { input }));
}

function parse(output: string) {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map(parseLine);
}

async function sendTo(servers: readonly Server[]): Promise<void> {
  dataPlane.forward([topology.rule(servers)]);
  await dataPlane.settled();
}

function flowsTo({ ip }: Server) {
  return { vip: VIP, port: VIP_PORT, targetIp: ip, targetPort: 8080 };
}

/** Addresses of the clients that have a connection to the server. */
async function peers({ namespace }: Server): Promise<readonly string[]> {
  const lines = await inside(namespace, 'ss', '-Htn', 'state', 'established');
  return [...lines.matchAll(/(10\.9\.0\.\d+)\]?:\d+/g)].map((match) => match[1] ?? '');
}
