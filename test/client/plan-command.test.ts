import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../support/command-line.ts';

const input = readFileSync(fileURLToPath(new URL('../../examples/minimal.yaml', import.meta.url)), 'utf8');

/** Keeps the AWS SDK away from what this machine may have. */
const noCredentials = {
  HOME: '/nonexistent',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_ACCESS_KEY_ID: '',
  AWS_SECRET_ACCESS_KEY: '',
  KUBECONFIG: '/nonexistent/kubeconfig',
};

/** A cloud that takes connections and says nothing. */
async function silentCloud(): Promise<string> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
}

test('a plan without credentials tells what is missing of cloud and cluster alike', async () => {
  const planned = await runCommandLine(['plan', '-f', '-'], { input, env: noCredentials });

  expect(planned.stderr).toContain('error Forbidden: pool production/web');
  expect(planned.stderr).toContain('KUBECONFIG names, /nonexistent/kubeconfig, cannot');
  expect(planned).toMatchObject({ code: expect.any(Number), stdout: '' });
  expect([69, 77]).toContain(planned.code);
});

test('a plan that has said why it fails ends, whoever has not answered yet', async () => {
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  const env = { ...noCredentials, ...keys, AWS_ENDPOINT_URL: await silentCloud() };
  const planned = await runCommandLine(['plan', '-f', '-'], { input, env });

  expect(planned.stderr).toContain('error ClusterUnreachable');
  expect(planned.code).toBe(69);
});
