import { expect, test } from 'vitest';
import type { Incident } from '../../lab/traffic/prober.ts';
import { findUnexplained, outageCost } from './lab-disturbances.ts';

const struck = [{ at: 1_000_000, what: 'n1 evicting' }];
const outage = outageCost(20_000, 0);
const lastMs = 1_000_000 + 20_000 + 35_000 + 12_000;

function lost(atMs: number, error: string, local = '10.1.0.5:40000') {
  const incident: Incident = {
    type: 'incident',
    seq: 1,
    stream: 'api/inside',
    atMs,
    endMs: atMs,
    url: 'http://10.96.0.81/',
    result: 'lost',
    slow: false,
    error,
    local,
    connectMs: 0,
    totalMs: 0,
    retransmits: 0,
    reused: false,
    retried: false,
  };
  const requests = { sent: 1_000, lost: 1, cut: 0, slow: 0 };
  return { requests, perStream: {}, incidents: [incident], lastBadAt: atMs, incidentsLeftOff: 0 };
}

test('an outage explains what is lost until its nodes are healthy again, and nothing later', () => {
  expect(findUnexplained(lost(lastMs, 'connection refused'), struck, outage)).toEqual([]);
  expect(findUnexplained(lost(lastMs + 1, 'connection refused'), struck, outage)).toEqual([
    'api/inside at 1970-01-01T00:17:47.001Z from 10.1.0.5:40000: connection refused',
  ]);
});

const unreachable = 'dial tcp4 10.96.0.81:80: connect: network is unreachable';

function together(...all: readonly ReturnType<typeof lost>[]) {
  const incidents = all.flatMap((one) => one.incidents);
  return { ...lost(0, ''), incidents, lastBadAt: Math.max(...incidents.map(({ atMs }) => atMs)) };
}

test('an outage explains what is lost until a cluster that takes longer is well, and its targets are healthy', () => {
  const long = outageCost(20_000, 300_000);
  expect(findUnexplained(lost(1_000_000 + 317_000, 'connection refused'), struck, long)).toEqual([]);
  expect(findUnexplained(lost(1_000_000 + 317_001, 'connection refused'), struck, long)).toHaveLength(1);
});

test('it explains a SYN from a port that was not translated for as long as connection tracking remembers that', () => {
  const first = lost(lastMs, unreachable);
  expect(findUnexplained(together(lost(lastMs + 120_000, unreachable), first), struck, outage)).toEqual([]);
  expect(findUnexplained(together(lost(lastMs + 120_001, unreachable), first), struck, outage)).toHaveLength(1);
});

test('each such SYN lets connection tracking remember it for as long again', () => {
  const all = [0, 100_000, 200_000].map((later) => lost(lastMs + later, unreachable));
  expect(findUnexplained(together(...all), struck, outage)).toEqual([]);
});

test('it explains no late SYN from another port, and no other error', () => {
  const first = lost(lastMs, unreachable);
  const other = lost(lastMs + 30_000, unreachable, '10.1.0.5:40002');
  expect(findUnexplained(together(first, other), struck, outage)).toEqual([
    `api/inside at 1970-01-01T00:18:17.000Z from 10.1.0.5:40002: ${unreachable}`,
  ]);
  expect(findUnexplained(together(first, lost(lastMs + 30_000, 'i/o timeout')), struck, outage)).toHaveLength(1);
});

test('what costs nothing alone explains nothing', () => {
  expect(findUnexplained(lost(1_000_000, unreachable), struck, { bad: 0, lastedMs: 0 })).toContain(
    '1 lost, cut or slow; 1 × 0 alone',
  );
});

test('of more requests than there are incidents, the last one must be explained too', () => {
  const losses = { ...lost(1_000_000, 'connection refused'), lastBadAt: lastMs + 1 };
  expect(findUnexplained(losses, struck, outage)).toEqual(['the last one at 1970-01-01T00:17:47.001Z']);
});
