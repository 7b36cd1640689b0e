/** Credentials of the lab: one administrator's token and the API server's own certificate authority. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { STATE } from './state.ts';

/** A name that the API server's self-signed certificate is valid for wherever it is reached. */
export const API_SERVER_NAME = 'kubernetes.default';

/** Files and secrets that the API server is started with. */
export interface Credentials {
  readonly adminToken: string;
  readonly tokenFile: string;
  readonly signingKey: string;
  readonly verificationKey: string;
  /** Written by the API server at its start (k8s.io/apiserver pkg/server/options, MaybeDefaultWithSelfSignedCerts). */
  readonly certificateFolder: string;
  readonly certificate: string;
}

/** Creates a new token and a new key pair for service account tokens. */
export async function createCredentials(): Promise<Credentials> {
  const certificateFolder = join(STATE.pki, 'apiserver');
  await mkdir(certificateFolder, { recursive: true });
  const adminToken = randomBytes(16).toString('hex');
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const credentials: Credentials = {
    adminToken,
    tokenFile: join(STATE.pki, 'tokens.csv'),
    signingKey: join(STATE.pki, 'service-accounts.key'),
    verificationKey: join(STATE.pki, 'service-accounts.pub'),
    certificateFolder,
    certificate: join(certificateFolder, 'apiserver.crt'),
  };
  await writeFile(credentials.tokenFile, `${adminToken},lab-admin,lab-admin,"system:masters"\n`, { mode: 0o600 });
  await writeFile(credentials.signingKey, keys.privateKey, { mode: 0o600 });
  await writeFile(credentials.verificationKey, keys.publicKey);
  return credentials;
}

/**
 * A kubeconfig with one context.
 *
 * @param certificateAuthority PEM.
 */
export function kubeconfig(server: string, certificateAuthority: string, token: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'lab',
    clusters: [
      {
        name: 'lab',
        cluster: {
          server,
          'tls-server-name': API_SERVER_NAME,
          'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64'),
        },
      },
    ],
    users: [{ name: 'lab-admin', user: { token } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'lab-admin' } }],
  });
}
