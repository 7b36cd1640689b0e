import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gcpMetadata } from 'google-auth-library';
import { expect, onTestFinished, test, vi } from 'vitest';
import { authClientOf } from '../../../adapters/gcp/options.ts';
import type { NodeferryError } from '../../../core/model/problem.ts';
import { serveMetadata } from '../../../lab/gcp/metadata.ts';

const options = { project: 'lab-project', clock: { now: () => 0, sleep: async () => {} } };

test('credentials are found in the same process once the metadata server of a new pod answers', async () => {
  gcpMetadata.setGCPResidency(false);
  const home = mkdtempSync(join(tmpdir(), 'no-credentials-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  });
  vi.stubEnv('HOME', home);
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '');
  vi.stubEnv('METADATA_SERVER_DETECTION', '');
  vi.stubEnv('GCE_METADATA_HOST', '127.0.0.1:9');
  const failure = await authClientOf(options).catch((error: unknown) => error as NodeferryError);
  expect(failure).toMatchObject({
    problem: { code: 'Forbidden', hint: expect.stringContaining('gcloud auth application-default login') },
    lacksCredentials: true,
  });
  const metadata = await serveMetadata('lab-project');
  vi.stubEnv('GCE_METADATA_HOST', metadata.host);
  const client = await authClientOf(options);
  expect((await client.getAccessToken()).token).toBe('lab-token');
  await metadata.close();
});
