import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** What a server shows its clients, in PEM. */
export interface ServerTls {
  readonly certificate: string;
  readonly key: string;
}

/**
 * A certificate of a test authority and one for localhost and 127.0.0.1 that it has signed, valid for a hundred years; made with openssl.
 * They protect nothing; the simulated clouds and tests use them.
 */
export const authority = `-----BEGIN CERTIFICATE-----
MIIBnTCCAUOgAwIBAgIUORrJwmxbue5IJrTD9sbhl4dtBXEwCgYIKoZIzj0EAwIw
IzEhMB8GA1UEAwwYbm9kZWZlcnJ5IHRlc3QgYXV0aG9yaXR5MCAXDTI2MTEyNDIz
MjgwNloYDzIxMjYxMDMxMjMyODA2WjAjMSEwHwYDVQQDDBhub2RlZmVycnkgdGVz
dCBhdXRob3JpdHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATTEp+2Hsai6aqh
MhWLjKEF5SrfgH3dxhDKz3B0NAPUKGxVNNjI/aEDVs2YS3JE0CP1GaIyyg2d8WqR
wAs7tF7Do1MwUTAdBgNVHQ4EFgQUUEgSLvnki7tCxX/pRICVj4NiwCYwHwYDVR0j
BBgwFoAUUEgSLvnki7tCxX/pRICVj4NiwCYwDwYDVR0TAQH/BAUwAwEB/zAKBggq
hkjOPQQDAgNIADBFAiEAhc8XGNSwwBkOyMBE/Ve6jrzOmwxrF1uKsMvuyGLEoesC
IFcyhp7l6mkkYPaor2D9tUCkkrwsEgsd9e6OpVxc53Yc
-----END CERTIFICATE-----
`;

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
