/** API servers that refuse who they knew a moment ago. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Connection, type ConnectionOptions, openConnection } from '../../../adapters/kubernetes/connection.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** An API server that accepts one token, and has it read from a file by whoever connects. */
async function startServer(options: Partial<ConnectionOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'nodeferry-refused-'));
  const refusing = new Set<Socket>();
  const sockets = new Set<Socket>();
  const seen: number[] = [];
  let accepted = 'one';
  const server = createServer(({ socket, headers }, response) => {
    const status = refusing.has(socket) || headers.authorization !== `Bearer ${accepted}` ? 401 : 200;
    seen.push(status);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? { items: [] } : { kind: 'Status', message: 'Unauthorized' }));
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const token = join(directory, 'token');
  writeFileSync(token, 'one');
  const kubeconfig = join(directory, 'kubeconfig');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(kubeconfig, describeUser(url, token));
  const connection = openConnection({ kubeconfig, ...options });
  ends.push(() => {
    connection.close();
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true });
  });
  return {
    connection,
    seen,
    /** What has been connected so far is answered by a server that is out of service. */
    takeOutOfService: () => {
      for (const socket of sockets) refusing.add(socket);
    },
    accept: (one: string) => {
      accepted = one;
    },
    give: (one: string) => writeFileSync(token, one),
  };
}

function describeUser(server: string, tokenFile: string): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

const list = async (connection: Connection) => await connection.fetch({ resource: 'nodes', verb: 'list' });

test('a connection to a server that is out of service is given up for another', async () => {
  const { connection, seen, takeOutOfService } = await startServer();
  await list(connection);
  const before = connection.generation();
  takeOutOfService();
  await Promise.all([list(connection), list(connection)]);
  await list(connection);
  expect(seen.filter((status) => status === 401).length).toBeLessThanOrEqual(2);
  expect(connection.generation()).toBe(before + 1);
});

test('credentials are read anew when they are refused', async () => {
  const { connection, accept, give } = await startServer();
  await list(connection);
  accept('two');
  give('two');
  await expect(list(connection)).resolves.toEqual({ items: [] });
});

test('credentials that were accepted once may be refused for a while', async () => {
  const { connection, accept } = await startServer();
  await list(connection);
  accept('two');
  setTimeout(() => accept('one'), 1_500);
  await expect(list(connection)).resolves.toEqual({ items: [] });
});

test('but not for ever', async () => {
  const { connection, accept } = await startServer({ refusedForMs: 1_500 });
  await list(connection);
  accept('two');
  await expect(list(connection)).rejects.toMatchObject({ problem: { code: 'Forbidden' } });
});

test('those that never were are asked for twice', async () => {
  const { connection, seen, accept } = await startServer();
  accept('two');
  await expect(list(connection)).rejects.toMatchObject({ problem: { code: 'Forbidden' } });
  expect(seen).toEqual([401, 401]);
});
