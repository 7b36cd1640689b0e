import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerTls } from '../certificates.ts';
import { createHttpServer } from '../http-server.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers requests on a free port of 127.0.0.1, over TLS where a certificate is given. */
export async function serveHttp(answer: Answer, tls?: ServerTls) {
  const { server, scheme } = createHttpServer((request, response) => {
    void answer(request, response).catch((error: Error) => response.destroy(error));
  }, tls);
  await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `${scheme}://${host}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
