import { expect, test } from 'vitest';
import type { Incident } from '../../lab/traffic/prober.ts';
import { findUnexplained, outageCost } from './lab-disturbances.ts';

const struck = [{ at: 1_000_000, what: 'n1 evicting' }];
const outage = outageCost(20_000);
const lastMs = 1_000_000 + 20_000 + 35_000 + 12_000;

function lost(atMs: number, error: string) {
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
    'api/inside at 1970-01-01T00:17:47.001Z: connection refused',
  ]);
});

test('it explains a SYN that was not translated for as long as connection tracking remembers one', () => {
  const error = 'dial tcp4 10.96.0.81:80: connect: network is unreachable';
  expect(findUnexplained(lost(lastMs + 120_000, error), struck, outage)).toEqual([]);
  expect(findUnexplained(lost(lastMs + 120_001, error), struck, outage)).toHaveLength(1);
});

test('what costs nothing alone explains nothing', () => {
  const error = 'dial tcp4 10.96.0.81:80: connect: network is unreachable';
  expect(findUnexplained(lost(1_000_000, error), struck, { bad: 0, lastedMs: 0 })).toContain(
    '1 lost, cut or slow; 1 × 0 alone',
  );
});

test('of more requests than there are incidents, the last one must be explained too', () => {
  const losses = { ...lost(1_000_000, 'connection refused'), lastBadAt: lastMs + 1 };
  expect(findUnexplained(losses, struck, outage)).toEqual(['the last one at 1970-01-01T00:17:47.001Z']);
});
