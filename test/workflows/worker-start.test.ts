import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ensureWorkflowBundle } from '../../worker/bundle.ts';
import { describeStartFailure } from '../../worker/start-failure.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.ts';

// Each starts a process that loads two SDKs: far above what that takes on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let scratch: string;
let kubeconfig: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'nodeferry-start-'));
  kubeconfig = join(scratch, 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const started: WorkerProcess[] = [];
const servers: Server[] = [];
afterEach(() => {
  for (const { child } of started.splice(0)) child.kill('SIGKILL');
  for (const server of servers.splice(0)) server.close();
});

function start(env: Readonly<Record<string, string>>): WorkerProcess {
  const worker = startWorkerProcess({ KUBECONFIG: kubeconfig, TEMPORAL_ADDRESS: '127.0.0.1:1', ...env });
  started.push(worker);
  return worker;
}

/** A port that takes connections and says nothing. */
async function takenPort(): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return (server.address() as AddressInfo).port;
}

/** One message, with what to do, and no stack. */
async function expectRefusal(worker: WorkerProcess, code: number, says: RegExp): Promise<void> {
  expect(await worker.ended).toBe(code);
  expect(worker.output()).toMatch(says);
  expect(worker.output()).toMatch(/\n {2}fix: /);
  expect(worker.output()).not.toMatch(/\n {4}at |IllegalState/);
}

describe('a worker that can not start ends by itself and says why', () => {
  test('with a kubeconfig that is not there', async () => {
    const says =
      /^nodeferry worker: The kubeconfig cannot be used: what KUBECONFIG names, \/nonexistent\/config, cannot be read: /;
    await expectRefusal(start({ KUBECONFIG: '/nonexistent/config' }), 69, says);
  });

  test('where another process has the port of its health checks', async () => {
    const port = await takenPort();
    const says = new RegExp(`health checks can't be served on 127.0.0.1:${port}: .*EADDRINUSE`);
    await expectRefusal(start({ NODEFERRY_HEALTH_ADDRESS: `127.0.0.1:${port}` }), 1, says);
  });

  test('where another process has the port of its metrics', async () => {
    const port = await takenPort();
    const says = new RegExp(`metrics can't be served on 127.0.0.1:${port}: `);
    await expectRefusal(start({ NODEFERRY_METRICS_ADDRESS: `127.0.0.1:${port}` }), 1, says);
  });

  test('without a Temporal server', async () => {
    await expectRefusal(start({}), 69, /No Temporal server answers at 127\.0\.0\.1:1: nothing listens there/);
  });

  test.each([
    ['an address with a scheme', { TEMPORAL_ADDRESS: 'http://localhost:7233' }, /which is not HOST:PORT/],
    ['an unknown profile', { TEMPORAL_PROFILE: 'nowhere' }, /TEMPORAL_PROFILE is 'nowhere'/],
    [
      'a certificate that is not there',
      { TEMPORAL_TLS_CLIENT_CERT_PATH: '/nonexistent/c.pem', TEMPORAL_TLS_CLIENT_KEY_PATH: '/nonexistent/k.pem' },
      /ENOENT.*\/nonexistent\/c\.pem/,
    ],
    [
      'a payload codec that is not there',
      { NODEFERRY_PAYLOAD_CODEC: '/nonexistent/codec.mjs' },
      /^nodeferry worker: NODEFERRY_PAYLOAD_CODEC is \/nonexistent\/codec\.mjs, which can't be loaded: /,
    ],
    ['a wrong level', { NODEFERRY_LOG_LEVEL: 'loud' }, /NODEFERRY_LOG_LEVEL is "loud"/],
  ])('with %s', async (_name, env, says) => {
    await expectRefusal(start(env), 64, says);
  });
});

test('a worker that waits for a server to speak ends on the first signal', async () => {
  const port = await takenPort();
  const spokenTo = new Promise((resolve) => servers.at(-1)?.once('connection', resolve));
  const worker = start({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
  await spokenTo;
  worker.child.kill('SIGTERM');
  expect(await worker.ended).toBe(143);
});

test('where nothing can be written, the bundle is kept in memory', async () => {
  const file = join(scratch, 'file');
  writeFileSync(file, '');
  const warned: string[] = [];
  const logger = new DefaultLogger('WARN', ({ message }) => void warned.push(message));
  const bundle = await ensureWorkflowBundle(logger, { folder: join(file, 'build') });
  expect(bundle).toMatchObject({ code: expect.stringContaining('poolUpgrade') as unknown });
  expect(warned).toEqual(['the workflow bundle could not be saved for the next start']);
}, 120_000);

test('errors that nobody foresaw are never told as nothing', () => {
  expect(describeStartFailure(undefined).text).toBe('nodeferry worker: undefined\n');
  expect(describeStartFailure(Object.assign(new Error('x'), { stack: undefined })).text).toBe('nodeferry worker: x\n');
});
