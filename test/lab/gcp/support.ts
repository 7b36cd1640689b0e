import { ClusterManagerClient } from '@google-cloud/container';
import { compute } from '@googleapis/compute';
import { credentials } from '@grpc/grpc-js';
import { OAuth2Client } from 'google-auth-library';
import { onTestFinished } from 'vitest';
import { manualClock } from '../../../lab/aws/clock.ts';
import { type SimulatedGcpOptions, startSimulatedGcp } from '../../../lab/gcp/server.ts';

/** Full name of the cluster that `startCloud` has. */
export const clusterName = 'projects/lab-project/locations/europe-west1/clusters/lab';

/** Starts a simulated Google for the running test, with real clients: a cluster `lab` with a pool `web` of two VMs in each of two zones. */
export async function startCloud(options: Partial<SimulatedGcpOptions> = {}) {
  const clock = manualClock();
  const web = { name: 'web', initialNodeCount: 2, config: { machineType: 'e2-medium', labels: { tier: 'web' } } };
  const gcp = await startSimulatedGcp({ clock, clusters: [{ name: 'lab', pools: [web] }], ...options });
  const authClient = new OAuth2Client();
  authClient.setCredentials({ access_token: 'test', expiry_date: Date.now() + 3_600_000 });
  const gke = new ClusterManagerClient({
    apiEndpoint: '127.0.0.1',
    port: gcp.gkePort,
    sslCreds: credentials.createInsecure(),
    projectId: 'lab-project',
    authClient,
  });
  const gce = compute({ version: 'v1', auth: authClient, rootUrl: `${gcp.computeUrl}/` });
  onTestFinished(async () => {
    await gke.close();
    await gcp.close();
  });
  const operationOf = async ([{ name }]: readonly [{ name?: string | null }, ...unknown[]]) =>
    (await gke.getOperation({ name: `projects/lab-project/locations/europe-west1/operations/${name}` }))[0];
  return { gcp, clock, gke, gce, operationOf, pool: (name: string) => `${clusterName}/nodePools/${name}` };
}

/** What an error of the GKE client says. */
export async function rpcErrorOf(call: Promise<unknown>) {
  const error = await call.then(
    () => new Error('was answered'),
    (refusal: unknown) => refusal,
  );
  const { code, message, reason, domain } = error as Record<string, unknown>;
  return { code, message, reason, domain };
}

/** What an error of the Compute client says. */
export async function httpErrorOf(call: Promise<unknown>) {
  const error = await call.then(
    () => new Error('was answered'),
    (refusal: unknown) => refusal,
  );
  const { status, message, response } = error as {
    status?: number;
    message: string;
    response?: { data?: { error?: { errors?: { reason?: string }[] } } };
  };
  return { status, message, reason: response?.data?.error?.errors?.[0]?.reason };
}
