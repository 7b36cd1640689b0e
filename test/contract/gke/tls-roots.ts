import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authority, trustAuthority } from '../../../lab/certificates.ts';

trustAuthority();

/** gRPC trusts the authorities in that file alone. It reads the variable when it is loaded, so this module has to be imported before everything else. */
const roots = join(mkdtempSync(join(tmpdir(), 'nodeferry-roots-')), 'ca.crt');
writeFileSync(roots, authority);
process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] = roots;
