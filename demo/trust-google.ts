import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authority } from '../lab/certificates.ts';

/**
 * Lets the gRPC clients of this process trust the simulated Google; the lab sees to all others when it starts. gRPC reads the file when it is loaded
 * (grpc-js, tls-helpers.ts), and the clients of Temporal and of GKE share it: import them only afterwards.
 */
export function trustSimulatedGoogle(): void {
  const file = join(mkdtempSync(join(tmpdir(), 'nodeferry-ca-')), 'ca.crt');
  writeFileSync(file, authority);
  process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] = file;
}
