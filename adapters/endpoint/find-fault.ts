import { lookup } from 'node:dns/promises';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { defaultTemporalPort, type EndpointFault } from '../../core/connection/explain-connection.ts';

/** A gRPC server, and the TLS settings to connect to it. */
export interface Endpoint {
  /** `host`, `host:port` or `[address]:port`. */
  readonly address: string;
  readonly tls?: boolean | TlsSettings | null | undefined;
}

/** TLS settings in the form that both Temporal SDKs accept. */
interface TlsSettings {
  readonly serverNameOverride?: string | undefined;
  readonly serverRootCACertificate?: Uint8Array | undefined;
  readonly clientCertPair?: { readonly crt: Uint8Array; readonly key: Uint8Array } | null | undefined;
}

/** The first bytes of an HTTP/2 client: the preface and an empty SETTINGS frame (RFC 9113, 3.4 and 6.5). */
const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

/** First byte of a TLS alert (RFC 8446, 5.1), and type of a SETTINGS frame. */
const tlsAlert = 0x15;
const settingsFrame = 4;

/**
 * Finds out why a gRPC server can't be reached after its client could not say. It checks name, port, TLS and protocol, in that order. Undefined when
 * none of these is at fault. Takes no longer than `withinMs`.
 */
export async function findEndpointFault(endpoint: Endpoint, withinMs: number): Promise<EndpointFault | undefined> {
  const { host, port } = splitAddress(endpoint.address);
  try {
    await lookup(host);
  } catch (error) {
    return { kind: 'no-such-host', detail: codeOf(error) };
  }
  const tls = endpoint.tls === false || endpoint.tls == null ? undefined : endpoint.tls;
  let socket: Socket;
  try {
    socket = tls === undefined ? connectPlain(port, host) : connectTls({ host, port, ...tlsOptions(host, tls) });
  } catch (error) {
    // An invalid certificate or key is refused before anything is sent.
    return { kind: 'tls-failed', detail: error instanceof Error ? error.message : String(error) };
  }
  return await listenTo(socket, tls !== undefined, withinMs);
}

function listenTo(socket: Socket, inTls: boolean, withinMs: number): Promise<EndpointFault | undefined> {
  return new Promise((resolve) => {
    let isConnected = false;
    const end = (fault: EndpointFault | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(fault);
    };
    const timer = setTimeout(() => end({ kind: 'silent', detail: `${withinMs / 1000} s` }), withinMs);
    socket.once('connect', () => {
      isConnected = true;
    });
    socket.once(inTls ? 'secureConnect' : 'connect', () => socket.write(preface));
    socket.on('error', (error) => end(faultOf(error, isConnected, inTls)));
    socket.once('data', (data: Buffer) => end(readAnswer(data)));
    // A TLS server may just close the connection of a client that does not use TLS.
    socket.once('close', () =>
      end({ kind: inTls ? 'wants-client-certificate' : 'speaks-tls', detail: 'it closed the connection' }),
    );
  });
}

function readAnswer(data: Buffer): EndpointFault | undefined {
  if (data[0] === tlsAlert) return { kind: 'speaks-tls', detail: '' };
  if (data[3] === settingsFrame) return undefined;
  return { kind: 'speaks-other', detail: data.subarray(0, 40).toString('latin1') };
}

const unknownAuthority = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

/** Error codes of Node's TLS (nodejs.org/api/tls.html, X509 certificate error codes) and of OpenSSL's alerts. */
function faultOf(error: Error, isConnected: boolean, inTls: boolean): EndpointFault {
  const code = codeOf(error);
  const detail = error.message === '' ? code : error.message;
  if (code === 'ECONNREFUSED') return { kind: 'refused', detail: code };
  if (!isConnected) return { kind: 'unreachable', detail: code };
  if (!inTls) return { kind: 'speaks-tls', detail: code };
  if (unknownAuthority.has(code)) return { kind: 'unknown-authority', detail };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { kind: 'other-name', detail };
  if (/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/.test(code)) return { kind: 'expired', detail };
  if (/ALERT_(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE|HANDSHAKE_FAILURE|UNKNOWN_CA)/.test(code)) {
    return { kind: 'wants-client-certificate', detail: code };
  }
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH|ECONNRESET|EPROTO|HTTP_REQUEST/.test(code)) {
    return { kind: 'speaks-no-tls', detail: code };
  }
  return { kind: 'tls-failed', detail };
}

function tlsOptions(host: string, tls: true | TlsSettings) {
  const settings = tls === true ? {} : tls;
  const name = settings.serverNameOverride ?? (isIP(host) === 0 ? host : undefined);
  const { serverRootCACertificate: ca, clientCertPair: pair } = settings;
  return {
    ALPNProtocols: ['h2'],
    ...(name === undefined ? {} : { servername: name }),
    ...(ca === undefined ? {} : { ca: Buffer.from(ca) }),
    ...(pair == null ? {} : { cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) }),
  };
}

function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const [, host = address, port] = /^(.*?)(?::(\d+))?$/.exec(address) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? defaultTemporalPort : Number(port) };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
