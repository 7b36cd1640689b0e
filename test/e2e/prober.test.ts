/** The prober by itself: what it counts as lost must have been lost, whatever happens to the machine that it runs on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Incident, parseLine, type StreamCounts } from '../../lab/traffic/prober.ts';
import { openAccount } from '../../lab/traffic/truth.ts';
import { toolPaths } from '../../scripts/setup/paths.ts';

const patienceMs = 1_000;
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** A prober that sends 50 requests per second over connections of their own. */
async function startProber(
  server: Server,
): Promise<{ child: ChildProcess; incidents: () => readonly Incident[]; end: () => Promise<StreamCounts> }> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const urls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}/`];
  const child = spawn(toolPaths().prober, ['-config', '-'], { stdio: ['pipe', 'pipe', 'inherit'] });
  cleanups.push(() => child.kill('SIGKILL'));
  const account = openAccount();
  const lines = createInterface({ input: child.stdout }).on('line', (text) => account.add(parseLine(text)));
  const read = new Promise<void>((resolve) => lines.once('close', resolve));
  child.stdin.write(
    JSON.stringify({ streams: [{ name: 'web', kind: 'connect', urls, ratePerSecond: 50, timeoutMs: patienceMs }] }),
  );
  await expect.poll(() => account.truth().sent, { timeout: 20_000 }).toBeGreaterThan(20);
  return {
    child,
    incidents: () => account.truth().incidents,
    end: async () => {
      child.stdin.end();
      await read;
      const { web } = account.truth().perStream;
      if (web === undefined) throw new Error('the prober told nothing of its stream');
      return web;
    },
  };
}

test('a prober that stands still for longer than its patience counts nothing as lost that was answered meanwhile', async () => {
  const answers: ServerResponse[] = [];
  let isHolding = false;
  const { child, end } = await startProber(
    createServer((_, response) => void (isHolding ? answers.push(response) : response.end('ok'))),
  );

  isHolding = true;
  await expect.poll(() => answers.length, { timeout: 20_000 }).toBeGreaterThan(5);
  child.kill('SIGSTOP');
  isHolding = false;
  for (const response of answers) response.end('ok');
  await sleep(4 * patienceMs);
  child.kill('SIGCONT');
  await sleep(patienceMs);

  const counts = await end();
  expect(counts).toMatchObject({ lost: 0, cut: 0, slow: 0, inFlight: 0, ok: counts.sent });
  expect(counts.skipped).toBeGreaterThan(0);
});

test('requests that nobody answers are lost, also when the prober stands still meanwhile', async () => {
  let isAnswering = true;
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    if (isAnswering) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    cleanups.push(() => socket.destroy());
  });
  const { child, end } = await startProber(server);

  isAnswering = false;
  await sleep(200);
  child.kill('SIGSTOP');
  await sleep(2 * patienceMs);
  child.kill('SIGCONT');
  await sleep(3 * patienceMs);

  const counts = await end();
  expect(counts.lost).toBeGreaterThan(100);
  expect(counts.ok + counts.lost).toBe(counts.sent);
});

test('a connection that was refused says from which port it was tried', async () => {
  const server = createServer((_, response) => void response.end('ok'));
  const { incidents } = await startProber(server);

  server.close();
  await expect.poll(() => incidents().length, { timeout: 20_000 }).toBeGreaterThan(5);

  for (const { error, local } of incidents()) {
    expect(error).toContain('connection refused');
    expect(local).toMatch(/^127\.0\.0\.1:[1-9]\d+$/);
  }
  expect(new Set(incidents().map(({ local }) => local)).size).toBeGreaterThan(1);
});
