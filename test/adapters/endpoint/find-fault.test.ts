import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2, createSecureServer } from 'node:http2';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Endpoint, findEndpointFault } from '../../../adapters/endpoint/find-fault.ts';
import { authority, certificate, key } from '../../../lab/certificates.ts';

const open: Pick<Server, 'close'>[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function listening(server: Pick<Server, 'listen' | 'address' | 'close'>): Promise<string> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const find = async (endpoint: Endpoint) => (await findEndpointFault(endpoint, 5_000))?.kind;
const trusted = { serverRootCACertificate: Buffer.from(authority) };
const withTls = (options: object = {}) => createSecureServer({ cert: certificate, key, ...options });

describe('a server that can not be spoken to', () => {
  test('a host that nobody knows', async () => {
    expect(await find({ address: 'temporal.invalid:7233' })).toBe('no-such-host');
  });

  test('a port that nobody listens on', async () => {
    const server = createTcp();
    const address = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await find({ address })).toBe('refused');
  });

  test('a port that says nothing', async () => {
    expect((await findEndpointFault({ address: await listening(createTcp()) }, 200))?.kind).toBe('silent');
  });

  test('a port for browsers', async () => {
    expect(await find({ address: await listening(createHttp()) })).toBe('speaks-other');
  });

  test('a certificate of an authority that is not known', async () => {
    expect(await find({ address: await listening(withTls()), tls: true })).toBe('unknown-authority');
  });

  test('a certificate for another name', async () => {
    const tls = { ...trusted, serverNameOverride: 'temporal.example' };
    expect(await find({ address: await listening(withTls()), tls })).toBe('other-name');
  });

  test('a client certificate that is missing', async () => {
    const server = withTls({ requestCert: true, rejectUnauthorized: true, ca: authority });
    expect(await find({ address: await listening(server), tls: trusted })).toBe('wants-client-certificate');
  });

  test('TLS, spoken to a port without', async () => {
    expect(await find({ address: await listening(createHttp2()), tls: true })).toBe('speaks-no-tls');
  });

  test('a port with TLS, spoken to without', async () => {
    expect(await find({ address: await listening(withTls()) })).toBe('speaks-tls');
  });

  test('a client certificate that is none', async () => {
    const tls = { ...trusted, clientCertPair: { crt: Buffer.from('x'), key: Buffer.from('y') } };
    expect(await find({ address: await listening(withTls()), tls })).toBe('tls-failed');
  });
});

describe('one that can', () => {
  test('without TLS', async () => {
    expect(await find({ address: await listening(createHttp2()) })).toBeUndefined();
  });

  test('with TLS, and with a client certificate', async () => {
    expect(await find({ address: await listening(withTls()), tls: trusted })).toBeUndefined();
    const server = withTls({ requestCert: true, rejectUnauthorized: true, ca: authority });
    const tls = { ...trusted, clientCertPair: { crt: Buffer.from(certificate), key: Buffer.from(key) } };
    expect(await find({ address: await listening(server), tls })).toBeUndefined();
  });
});
