/** Whose certificate Google's clients accept. The other tests call over TLS as well, with one that is trusted. */
import './tls-roots.ts';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createGoogleLoadBalancers } from '../../../adapters/gcp/load-balancers/load-balancers.ts';
import { createGkeNodePools } from '../../../adapters/gke/node-pools.ts';
import { findMissingPermissions } from '../../../adapters/gke/permissions.ts';
import { checkOwnSystems } from '../../../client/doctor/policy-systems.ts';
import { type SimulatedGcp, startSimulatedGcp } from '../../../lab/gcp/server.ts';
import { aPolicy } from '../../core/support/facts.ts';
import { otherAuthority } from '../cases/other-authority.ts';
import { problemOf } from '../cases/refusal.ts';
import { serviceAt } from './balancers.ts';
import { type GkeBench, openBench } from './support.ts';

let bench: GkeBench;
/** How often the adapters have waited in order to make a call again. */
let pauses: number;
beforeEach(async () => {
  bench = await openBench();
  pauses = 0;
});

const clock = { now: () => Date.now(), sleep: async () => void (pauses += 1) };

const place = { clock, project: 'lab-project', region: 'europe-west1', callTimeoutMs: 2_000 };

const askCompute = async (url: string) =>
  await createGoogleLoadBalancers({ ...place, computeUrl: `${url}/` }).discover([serviceAt('192.0.2.1')]);

const askResourceManager = async (url: string) =>
  await findMissingPermissions({ ...place, resourceManagerUrl: `${url}/` });

async function startOther(): Promise<SimulatedGcp> {
  const other = await startSimulatedGcp({ clusters: [], tls: otherAuthority });
  onTestFinished(async () => await other.close());
  return other;
}

test.each([
  ['Compute Engine', askCompute, '/compute/v1/projects/lab-project/regions/europe-west1/forwardingRules'],
  ['Resource Manager', askResourceManager, '/v1/projects/lab-project:testIamPermissions'],
])('%s behind a certificate of another authority is told of at once, and not called', async (_api, ask, path) => {
  const other = await startOther();
  expect(await problemOf(ask(other.computeUrl))).toMatchObject({
    code: 'ProviderRefused',
    message: expect.stringContaining(
      `the certificate of the server is not trusted: request to ${other.computeUrl}${path} failed, reason: unable to verify the first certificate`,
    ),
    hint: expect.stringContaining('into the file of NODE_EXTRA_CA_CERTS'),
  });
  expect(pauses).toBe(0);
  expect(other.requests).toEqual([]);
});

test('GKE behind a certificate of another authority is told of at once, and not called', async () => {
  const other = await startOther();
  const pools = createGkeNodePools({ ...place, gkeEndpoint: { host: 'localhost', port: other.gkePort } });
  expect(await problemOf(pools.describePool(bench.web))).toEqual({
    code: 'ProviderRefused',
    message:
      'pool prod/web: container.clusters.get: the certificate of the server is not trusted: unable to verify the first certificate',
    hint: expect.stringContaining('into the file of GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'),
  });
  expect(pauses).toBe(0);
  expect(other.requests).toEqual([]);
});

test('Compute Engine behind a certificate for another host is told of at once, and not called', async () => {
  // An address that leads to the server, and that its certificate does not name.
  expect(await problemOf(askCompute(bench.gcp.computeUrl.replace('127.0.0.1', '0.0.0.0')))).toMatchObject({
    code: 'ProviderRefused',
    message: expect.stringContaining("IP: 0.0.0.0 is not in the cert's list: 127.0.0.1"),
  });
  expect(pauses).toBe(0);
  expect(bench.gcp.requests).toEqual([]);
});

test('the doctor tells of it before its own time is over', async () => {
  const other = await startOther();
  vi.stubEnv('NODEFERRY_GKE_ENDPOINT', `localhost:${other.gkePort}`);
  vi.stubEnv('NODEFERRY_RESOURCE_MANAGER_URL', other.computeUrl);
  vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'lab-project');
  onTestFinished(() => void vi.unstubAllEnvs());
  const policy = aPolicy({ cluster: { name: 'prod', region: 'europe-west1' }, pool: { provider: 'gke', name: 'web' } });
  const checks = await checkOwnSystems({ kubeconfig: '/nowhere' }, { policy, readRunning: async () => new Set() });
  expect(checks.find(({ id }) => id === 'cloud.pool')).toMatchObject({
    state: 'failed',
    found: expect.stringContaining('the certificate of the server is not trusted'),
  });
});
