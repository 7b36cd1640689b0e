/** `npm run demo`: a live node pool behind two load balancers is replaced under traffic, and the loss is counted. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authority } from '../lab/gcp/certificates.ts';
import { runInterruptibly } from '../lab/interrupted.ts';
import { readDemoOptions } from './options.ts';

const options = readDemoOptions(process.argv);
if (options.cloud === 'gke') {
  // gRPC reads it when it is loaded (grpc-js, tls-helpers.ts), and the clients of Temporal and of GKE share it.
  const file = join(mkdtempSync(join(tmpdir(), 'nodeferry-ca-')), 'ca.crt');
  writeFileSync(file, authority);
  process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] = file;
}
const { demo } = await import('./demo.ts');
await runInterruptibly((signal) => demo(options, signal));
