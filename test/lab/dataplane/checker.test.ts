/** The process that makes health checks, on this machine's own network, without namespaces. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, type TestContext, test } from 'vitest';
import type { HealthProbe } from '../../../lab/contracts.ts';

const checkerPath = new URL('../../../lab/dataplane/checker.ts', import.meta.url).pathname;
const timeoutMs = 1_500;

test.concurrent('a check that is answered while the checker does not run has not timed out', async (context) => {
  const checker = await startChecker(context, async (answer) => {
    checker.process.kill('SIGSTOP');
    answer();
    await delay(2 * timeoutMs);
    checker.process.kill('SIGCONT');
  });
  expect(await checker.firstResult).toEqual({ id: 'one', ok: true, detail: 'HTTP 200' });
}, 60_000);

test.concurrent('a check that nobody answers times out, though the checker did not run meanwhile', async (context) => {
  const checker = await startChecker(context, async () => {
    checker.process.kill('SIGSTOP');
    await delay(2 * timeoutMs);
    checker.process.kill('SIGCONT');
  });
  expect(await checker.firstResult).toEqual({ id: 'one', ok: false, detail: 'timed out' });
}, 60_000);

/** A checker with one probe. `onCheck` is called for its first check, which is answered when that says so. */
async function startChecker({ onTestFinished }: TestContext, onCheck: (answer: () => void) => Promise<void>) {
  let checks = 0;
  const server = createServer((_, response) => {
    checks += 1;
    if (checks === 1) void onCheck(() => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const child = spawn(process.execPath, [checkerPath], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
  });
  const firstResult = new Promise<unknown>((resolve) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
  });
  const { port } = server.address() as AddressInfo;
  const probe: HealthProbe = {
    id: 'one',
    protocol: 'HTTP',
    ip: '127.0.0.1',
    port,
    path: '/',
    intervalMs: 2_000,
    timeoutMs,
  };
  child.stdin.write(`${JSON.stringify({ probes: [probe] })}\n`);
  return { process: child, firstResult };
}
