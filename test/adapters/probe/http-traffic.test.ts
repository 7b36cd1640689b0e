import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createHttpTraffic } from '../../../adapters/probe/http-traffic.ts';
import type { ProbePolicy } from '../../../core/policy/policy.ts';
import type { TrafficWatch } from '../../../ports/traffic.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function listen(server: Server | TcpServer): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

interface Seen {
  readonly url: string;
  readonly sockets: Set<unknown>;
  requests: number;
}

async function serve(answer: (response: ServerResponse) => unknown): Promise<Seen> {
  const seen = { url: '', sockets: new Set<unknown>(), requests: 0 };
  const server = createServer((request, response) => {
    seen.requests += 1;
    seen.sockets.add(request.socket);
    answer(response);
  });
  seen.url = await listen(server);
  return seen;
}

/** Bounds that nothing reaches where others keep the processor busy: then all requests of a second are sent at once. */
const patient = { ratePerSecond: 100, timeoutMs: 60_000 };

/** By default with those bounds. */
function watch(overrides: Partial<ProbePolicy>, maxInFlight = 10_000): TrafficWatch {
  return createHttpTraffic({ maxInFlight }).watch([{ name: 'web', urls: [], ...patient, ...overrides }]);
}

const sentAtLeast = (running: TrafficWatch, count: number) =>
  expect.poll(() => running.counts().sent, { timeout: 15_000 }).toBeGreaterThanOrEqual(count);

test('sends each request on a connection of its own and loses none', async () => {
  const seen = await serve((response) => response.end('ok'));
  const running = watch({ urls: [seen.url] });

  await sentAtLeast(running, 30);
  const counts = await running.stop();

  expect(counts.lost).toBe(0);
  expect(counts.sent).toBe(seen.requests);
  expect(seen.sockets.size).toBe(seen.requests);
});

test('counts what each probe has lost by its name', async () => {
  const [fine, broken] = [await serve((response) => response.end('ok')), await serve((response) => response.destroy())];
  const running = createHttpTraffic({ maxInFlight: 10_000 }).watch([
    { ...patient, name: 'fine', urls: [fine.url] },
    { ...patient, name: 'broken', urls: [broken.url] },
  ]);
  await sentAtLeast(running, 30);
  const { lost, lostBy } = await running.stop();
  expect(lost).toBeGreaterThan(0);
  expect(lostBy).toEqual({ fine: 0, broken: lost });
});

test('spreads the requests evenly over the URLs', async () => {
  const first = await serve((response) => response.end('ok'));
  const second = await serve((response) => response.end('ok'));
  const running = watch({ urls: [first.url, second.url] });

  await sentAtLeast(running, 40);
  await running.stop();

  expect(Math.abs(first.requests - second.requests)).toBeLessThanOrEqual(1);
});

test('counts refused connections, errors of the server and answers that break off as lost', async () => {
  const refusing = 'http://127.0.0.1:1/';
  const failing = await serve((response) => response.writeHead(503).end());
  const running = watch({ urls: [refusing, failing.url, await answerHalf()] });

  await sentAtLeast(running, 30);
  const counts = await running.stop();

  expect(counts.lost).toBe(counts.sent);
});

test.each<[how: string, url: () => Promise<string>, says: RegExp]>([
  ['is refused', async () => 'http://127.0.0.1:1/', /^127\.0\.0\.1: connect ECONNREFUSED 127\.0\.0\.1:1 after \d+ ms/],
  [
    'fails at the server',
    async () => (await serve((r) => r.writeHead(503).end())).url,
    /^127\.0\.0\.1: status 503 after/,
  ],
  ['is not answered', async () => (await serve((r) => r.destroy())).url, /^127\.0\.0\.1: socket hang up after/],
  ['is half answered', answerHalf, /^127\.0\.0\.1: answer broken off after/],
  ['never ends', async () => (await serve(() => undefined)).url, /^127\.0\.0\.1: no answer after/],
  ['has nowhere to go', async () => 'http://no-such-host.invalid/', /^no-such-host\.invalid has no address$/],
])('says how a request failed that %s', async (_, url, says) => {
  const running = watch({ urls: [await url()], timeoutMs: 1_000, ratePerSecond: 10 });

  await sentAtLeast(running, 1);
  const { failureBy } = await running.stop();

  expect(failureBy).toEqual({ web: expect.stringMatching(says) });
});

async function answerHalf(): Promise<string> {
  const breaking = await serve((response) => {
    response.writeHead(200, { 'content-length': '10' }).write('12345', () => response.destroy());
  });
  return breaking.url;
}

test('an answer that says no is still an answer', async () => {
  const seen = await serve((response) => response.writeHead(404).end('not here'));
  const running = watch({ urls: [seen.url] });

  await sentAtLeast(running, 10);

  expect(await running.stop()).toMatchObject({ lost: 0 });
});

test('counts an answer that does not come in time as lost', async () => {
  const url = await listen(createTcpServer((socket) => void cleanups.push(() => socket.destroy())));
  const running = watch({ urls: [url], timeoutMs: 100, ratePerSecond: 50 });

  await sentAtLeast(running, 5);
  const counts = await running.stop();

  expect(counts.lost).toBe(counts.sent);
});

test('sets no timer that is too long for Node.js, which would fire it at once and again and again', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => warnings.push(name);
  process.on('warning', onWarning);
  const seen = await serve((response) => setTimeout(() => response.end('ok'), 100));
  const running = watch({ urls: [seen.url], timeoutMs: 30 * 86_400_000 });

  await sentAtLeast(running, 5);
  const counts = await running.stop();
  process.off('warning', onWarning);

  expect(counts.lost).toBe(0);
  expect(warnings).not.toContain('TimeoutOverflowWarning');
});

test('goes on sending while requests hang, up to the bound, and counts those beyond it as lost', async () => {
  const url = await listen(createTcpServer((socket) => void cleanups.push(() => socket.destroy())));
  const running = watch({ urls: [url], timeoutMs: 1_000 }, 5);

  await sentAtLeast(running, 20);

  expect(running.counts()).toMatchObject({ lost: running.counts().sent });
  await running.stop();
});

test('stopping lets requests in flight end and counts them', async () => {
  const open: ServerResponse[] = [];
  let released = false;
  const seen = await serve((response) => (released ? response.end('ok') : open.push(response)));
  const running = watch({ urls: [seen.url], timeoutMs: 10_000 });
  await expect.poll(() => open.length).toBeGreaterThan(3);

  const stopped = running.stop();
  released = true;
  for (const response of open) response.end('late but whole');
  const counts = await stopped;

  expect(counts).toMatchObject({ lost: 0 });
  expect(counts.sent).toBe(seen.requests);
});

test('a name that does not resolve is lost traffic', async () => {
  const running = watch({ urls: ['http://no-such-host.invalid/'] });

  await sentAtLeast(running, 5);
  const counts = await running.stop();

  expect(counts.lost).toBe(counts.sent);
});

test('standstills of the process itself lose nothing, whatever it notices first afterwards', async () => {
  const seen = await serve((response) => setTimeout(() => response.end('ok'), 20));
  // The server is in this process too. So there is time for both of them where the process gets little of the CPU.
  const running = watch({ urls: [seen.url], timeoutMs: 3_000 });
  await sentAtLeast(running, 10);

  for (let times = 1; times <= 2; times += 1) {
    const until = performance.now() + 3_200;
    while (performance.now() < until);
    await sentAtLeast(running, 30 * times);
  }

  expect(await running.stop()).toMatchObject({ lost: 0, slow: 0 });
});
