import { createServer, type Server } from 'node:http';
import { NodeferryError } from '../core/model/problem.ts';
import type { ListenAddress } from './config.ts';

/**
 * Serves `/livez` (the event loop runs) and `/readyz` (the worker accepts work) with 200 or 503. @throws NodeferryError Internal when the address is
 * in use
 */
export async function serveHealth(address: ListenAddress, isReady: () => boolean): Promise<Server> {
  const server = createServer((request, response) => {
    const ok = request.url === '/livez' || (request.url === '/readyz' && isReady());
    const known = request.url === '/livez' || request.url === '/readyz';
    response.writeHead(ok ? 200 : known ? 503 : 404, { 'content-type': 'text/plain' });
    response.end(ok ? 'ok\n' : known ? 'not ready\n' : 'not found\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new NodeferryError(
          {
            code: 'Internal',
            message: `the health checks can't be served on ${address.host}:${address.port}: ${cause.message}`,
            hint: 'Set NODEFERRY_HEALTH_ADDRESS to another host:port, or to `off`.',
          },
          { cause },
        ),
      ),
    );
    server.listen(address.port, address.host, resolve);
  });
  return server;
}
