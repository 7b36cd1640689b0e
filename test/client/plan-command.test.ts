import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { exitCodeOf } from '../../client/output/fail.ts';
import { runCommandLine } from '../support/command-line.ts';

const input = readFileSync(fileURLToPath(new URL('../../examples/minimal.yaml', import.meta.url)), 'utf8');

/** A cloud that accepts connections and answers nothing. */
async function silentCloud() {
  const asked: string[] = [];
  const server = createServer((socket) => socket.on('data', (data) => asked.push(String(data))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen');
  return { url: `http://127.0.0.1:${address.port}`, asked };
}

test('a plan that has said why it fails ends, without retrying a read that nothing waits for', async () => {
  const cloud = await silentCloud();
  const planned = await runCommandLine(['plan', '-f', '-'], {
    input,
    env: {
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
      AWS_ENDPOINT_URL: cloud.url,
      KUBECONFIG: '/nonexistent/kubeconfig',
    },
  });

  expect(planned.stderr).toContain('error ClusterUnreachable');
  expect(planned.code).toBe(69);
  expect(cloud.asked.length).toBeLessThanOrEqual(1);
}, 120_000);

test('missing credentials have an exit code of their own, not that of a plan with blockers', () => {
  expect(exitCodeOf('Forbidden')).toBe(77);
  expect(exitCodeOf('PreflightRefused')).toBe(1);
});
