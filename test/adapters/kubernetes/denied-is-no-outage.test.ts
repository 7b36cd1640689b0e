/** Which failures count as an outage of the API server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { openConnection } from '../../../adapters/kubernetes/connection.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** An API server that answers evictions with this error, and everything else as it should. */
async function startServer(status: number, message: string) {
  const server = createServer(({ method }, response) => {
    const isEviction = method === 'POST';
    response.writeHead(isEviction ? status : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isEviction ? { kind: 'Status', code: status, message } : { items: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const directory = mkdtempSync(join(tmpdir(), 'nodeferry-denied-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, describe(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const connection = openConnection({ kubeconfig });
  ends.push(() => {
    connection.close();
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true });
  });
  return connection;
}

function describe(server: string): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

test.each([
  ['a webhook that cannot be called', 'Internal error occurred: failed calling webhook "one": no endpoints', false],
  ['a webhook that failed itself', 'admission webhook "one" denied the request: cannot read the pod', false],
  ['a pod with two budgets', 'This pod has more than one PodDisruptionBudget, which is not supported.', false],
  ['a database that does not answer', 'etcdserver: request timed out', true],
])('an eviction that fails for seconds because of %s', async (_why, message, isOutage) => {
  const connection = await startServer(500, message);
  const evict = { resource: 'evictions', verb: 'create', namespace: 'shop', name: 'web-1', body: {} } as const;

  await connection.send(evict);
  await delay(2_050);
  await connection.send(evict);
  await connection.fetch({ resource: 'nodes', verb: 'list' });

  expect(connection.outageAt() !== undefined).toBe(isOutage);
});
