/** When the instance groups of the real ingress-gce follow the exclusion label. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { googleService } from '../../lab/scenarios/google-services.ts';
import { createService, type GoogleCluster, membersIn, resourcesFor, startGoogleCluster } from './cluster.ts';

const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

let cluster: GoogleCluster;
beforeAll(async () => {
  cluster = await startGoogleCluster();
  await cluster.startIngressGce();
});
afterAll(async () => await cluster?.stop());
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(cluster.logs());
});

const groups = () => [...cluster.gcp.model.resources.values()].filter(({ path }) => path.includes('/instanceGroups/'));
const members = () => membersIn(groups());
/** The cloud controller manager follows the label by itself: what it has done, ingress-gce has seen as well. */
const pool = () => membersIn(resourcesFor(cluster, 'targetPools', 'default/plain'));

const all = () => cluster.vms.map(({ name }) => name).toSorted();
const others = () => all().filter((name) => name !== cluster.vms[0]?.name);

const changeNode = async (change: object) =>
  await cluster.controlPlane.api('PATCH', `/api/v1/nodes/${cluster.vms[0]?.name}`, change);
const label = async (value: 'true' | null) => await changeNode({ metadata: { labels: { [excludeLabel]: value } } });
const changeCordon = async () => {
  await changeNode({ spec: { unschedulable: null } });
  await changeNode({ spec: { unschedulable: true } });
};

test('a Service from before groups of nodes has instance groups of all nodes', async () => {
  const { controlPlane } = cluster;
  await createService(controlPlane, 'plain', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
  const options = { name: 'old', clusterIP: '', externalTrafficPolicy: 'Local' } as const;
  const { spec: { clusterIP: _any, ...spec } = {}, ...service } = googleService('external-groups', options);
  await controlPlane.api('POST', '/api/v1/namespaces/default/services', { ...service, spec });
  await expect.poll(members).toEqual(all());
  await expect.poll(pool).toEqual(all());
  await expect
    .poll(() => resourcesFor(cluster, 'backendServices', 'default/old')[0]?.fields['connectionDraining'])
    .toEqual({ drainingTimeoutSec: 30 });
});

test('a cordoned node that is excluded stays, until its cordon is removed and set again', async () => {
  await changeNode({ spec: { unschedulable: true } });
  await label('true');
  await expect.poll(pool).toEqual(others());
  expect(members()).toEqual(all());
  await changeCordon();
  await expect.poll(members).toEqual(others());
});

test('it is out for as long after it is included again', async () => {
  await label(null);
  await expect.poll(pool).toEqual(all());
  expect(members()).toEqual(others());
  await changeCordon();
  await expect.poll(members).toEqual(all());
});
