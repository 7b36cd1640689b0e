import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';

/** What a server shows its clients, in PEM. */
export interface ServerTls {
  readonly certificate: string;
  readonly key: string;
}

/** The certificate of a test authority, valid for a hundred years; made with openssl. It protects nothing; the simulated clouds and tests use it. */
export const authorityFile = fileURLToPath(new URL('authority.crt', import.meta.url));

export const authority = readFileSync(authorityFile, 'utf8');

/** A certificate for localhost and 127.0.0.1 that the authority has signed. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBmTCCAT+gAwIBAgIURw5b9IbyCKO/DACMoRd1ypQK/5YwCgYIKoZIzj0EAwIw
IzEhMB8GA1UEAwwYbm9kZWZlcnJ5IHRlc3QgYXV0aG9yaXR5MCAXDTI2MTEyNDIz
MjgwNloYDzIxMjYxMDMxMjMyODA2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTAT
BgcqhkjOPQIBBggqhkjOPQMBBwNCAARi6twa1fKneha9YFYPCICWfcKk/jOtkz8n
EadqC2OXJrvOxe6NCDKD65S3qlXHX1Pyblbaz+wDndJuolPi0FJso14wXDAaBgNV
HREEEzARgglsb2NhbGhvc3SHBH8AAAEwHQYDVR0OBBYEFIS7Ctu+bGeLK18MgwJ6
YtZxFVI7MB8GA1UdIwQYMBaAFFBIEi755Iu7QsV/6USAlY+DYsAmMAoGCCqGSM49
BAMCA0gAMEUCIBNBjLNLMG/KqMx8ecCNs2z5BpgkxEZFcQ38qGRiZYjaAiEA6EZQ
VP7tuJT0P2mjfS6TrIZlPIYw7C2HqXx5Ln5FJqs=
-----END CERTIFICATE-----
`;

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrwz+aiOiz+P08fVA
PKGbrY/3zJrPYApHfMVXC9WdCiahRANCAARi6twa1fKneha9YFYPCICWfcKk/jOt
kz8nEadqC2OXJrvOxe6NCDKD65S3qlXHX1Pyblbaz+wDndJuolPi0FJs
-----END PRIVATE KEY-----
`;

/**
 * Lets this process trust the authority, besides those that it trusts anyway, in connections that are made afterwards by clients that name no authorities
 * of their own. What another process trusts is decided when it starts, by NODE_EXTRA_CA_CERTS. gRPC is told by GRPC_DEFAULT_SSL_ROOTS_FILE_PATH, which
 * is set on some machines and then counts alone.
 */
export function trustAuthority(): void {
  setDefaultCACertificates([...getCACertificates('default'), authority]);
}
