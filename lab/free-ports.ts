import { createServer } from 'node:net';

/** That many free TCP ports of 127.0.0.1, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenAnywhere));
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The listener has no port.');
    return address.port;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listenAnywhere() {
  return new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

/** How often a server is started before the caller gives up. */
const maxStarts = 5;

/**
 * Starts a server whose ports were free a moment ago, some of which it may choose itself: another connection may take one before the server does.
 * `startOnce` returns undefined when the server ended before it was usable; then it is started again.
 */
export async function startOnFreePorts<T>(what: string, startOnce: () => Promise<T | undefined>): Promise<T> {
  for (let starts = 1; starts <= maxStarts; starts += 1) {
    const started = await startOnce();
    if (started !== undefined) return started;
  }
  throw new Error(`${what} ended by itself ${maxStarts} times as it was started`);
}
