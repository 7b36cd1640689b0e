/** Node pools of the lab on Google as a script changes them. */
import { ClusterManagerClient } from '@google-cloud/container';
import { auth, compute } from '@googleapis/compute';
import type { GkeLab } from '../lab/gke-lab.ts';
import { until } from '../lab/process.ts';
import type { PoolChange } from './eks-hands.ts';
import type { PoolHands } from './other-orders.ts';

/** Any token will do in the lab. */
const token = { access_token: 'lab', expiry_date: Number.MAX_SAFE_INTEGER };

/** What is done to the node pools of a lab on Google. */
export function gkeHands({ gcp, scenario }: GkeLab, { pool, newPool, version }: PoolChange): PoolHands {
  const authClient = new auth.OAuth2();
  authClient.setCredentials(token);
  const { project } = gcp.model;
  const gke = new ClusterManagerClient({ apiEndpoint: 'localhost', port: gcp.gkePort, authClient, projectId: project });
  const { instanceGroupManagers } = compute({ version: 'v1', auth: authClient, rootUrl: `${gcp.computeUrl}/` });
  const parent = `projects/${project}/locations/${scenario.region}/clusters/${scenario.clusterName}`;
  const old = { name: `${parent}/nodePools/${pool}` };
  const exists = async () =>
    await gke.getNodePool(old).then(
      () => true,
      (error: Error & { code?: number }) => {
        // NOT_FOUND of gRPC.
        if (error.code === 5) return false;
        throw error;
      },
    );
  return {
    createNew: async () => {
      const [{ locations, initialNodeCount, config = null }] = await gke.getNodePool(old);
      const nodePool = {
        name: newPool,
        version,
        locations: locations ?? [],
        initialNodeCount: initialNodeCount ?? 0,
        config,
      };
      await gke.createNodePool({ parent, nodePool });
      return (initialNodeCount ?? 0) * (locations ?? []).length;
    },
    // Nothing scales a pool of the lab by itself.
    holdOld: async () => undefined,
    terminate: async ({ name }) => {
      const [{ instanceGroupUrls }] = await gke.getNodePool(old);
      const [zone, group] = locate(instanceGroupUrls ?? [], gcp, name);
      const instances = [`zones/${zone}/instances/${name}`];
      await instanceGroupManagers.deleteInstances({
        project,
        zone,
        instanceGroupManager: group,
        requestBody: { instances },
      });
    },
    deleteOld: async () => {
      await gke.deleteNodePool(old);
      await until(async () => ((await exists()) ? undefined : true), {
        what: 'the old node pool still exists',
        timeoutMs: 120_000,
        everyMs: 1000,
      });
    },
  };
}

/** Zone and name of the managed instance group of a VM. */
function locate(urls: readonly string[], { model }: GkeLab['gcp'], vm: string): readonly [string, string] {
  for (const url of urls) {
    const [zone = '', , name = ''] = url.split('/zones/')[1]?.split('/') ?? [];
    if (model.groups.get(`${zone}/${name}`)?.members.has(vm) === true) return [zone, name];
  }
  throw new Error(`VM ${vm} is in no group of the pool`);
}
