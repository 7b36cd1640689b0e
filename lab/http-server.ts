import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { ServerTls } from './certificates.ts';

/** A server for these requests, and how addresses of it begin: over TLS where a certificate is given. */
export function createHttpServer(
  handle: RequestListener,
  tls: ServerTls | undefined,
): { readonly server: Server; readonly scheme: 'http' | 'https' } {
  if (tls === undefined) return { server: createServer(handle), scheme: 'http' };
  return { server: createTlsServer({ cert: tls.certificate, key: tls.key }, handle), scheme: 'https' };
}
