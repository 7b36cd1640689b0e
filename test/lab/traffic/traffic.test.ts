import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insideTraffic, loadBalancerUrls, outsideTraffic } from '../../../lab/traffic/config.ts';
import { followTraffic } from '../../../lab/traffic/traffic.ts';
import { tick } from './reports.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nodeferry-traffic-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('following a prober’s output file', () => {
  it('waits for the file, reads on as it grows and keeps half a line until it is whole', async () => {
    const file = join(folder, 'out.jsonl');
    const traffic = followTraffic(file);
    const sent: number[] = [];
    traffic.subscribe((truth) => sent.push(truth.sent));
    const [first, second] = [line('tick', 500, 10), line('summary', 1_000, 20)];
    await writeFile(file, `${first}\n${second.slice(0, 30)}`);
    await seen(() => sent.length === 1);
    await appendFile(file, `${second.slice(30)}\n`);
    const truth = await traffic.stop();
    expect(sent).toEqual([10, 20]);
    expect(truth).toMatchObject({ sent: 20, ok: 20, final: true });
  });

  it('gives an account that is not final while the prober has not ended', async () => {
    const file = join(folder, 'out.jsonl');
    await writeFile(file, `${line('tick', 500, 10)}\n`);
    expect(await followTraffic(file).stop()).toMatchObject({ sent: 10, final: false });
  });
});

describe('prober configurations', () => {
  it('give every Service four kinds of traffic to all of its addresses', () => {
    const urls = loadBalancerUrls(['10.0.200.1', '10.0.200.2'], 80);
    const { streams } = outsideTraffic([{ name: 'web', urls }]);
    expect(streams.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'web/connect connect',
      'web/keepalive keepalive',
      'web/long long',
      'web/stream stream',
    ]);
    expect(streams[0]?.urls).toEqual(['http://10.0.200.1:80/', 'http://10.0.200.2:80/']);
    expect(streams[3]?.urls).toEqual(['http://10.0.200.1/stream', 'http://10.0.200.2/stream']);
    for (const stream of streams) expect(stream.sourceAddresses).toHaveLength(16);
  });

  it('leave out streams without a rate', () => {
    const volume = { connect: 5, keepalive: 0, keepaliveClients: 0, long: 0, stream: 0 };
    const { streams } = outsideTraffic([{ name: 'web', urls: ['http://10.0.200.1/'] }], volume);
    expect(streams.map(({ kind }) => kind)).toEqual(['connect']);
  });

  it('leave the source address of traffic from a pod to the system', () => {
    const { streams } = insideTraffic([{ name: 'api', urls: ['http://10.96.0.20/'] }], 50);
    expect(streams).toEqual([{ name: 'api/inside', kind: 'connect', urls: ['http://10.96.0.20/'], ratePerSecond: 50 }]);
  });
});

function line(type: 'tick' | 'summary', atMs: number, sent: number): string {
  return JSON.stringify(tick(atMs, { api: { sent, ok: sent } }, { type }));
}

async function seen(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('never seen');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
