/** Which cloud is asked for load balancers, with both clouds configured: the simulated ones log every call. */
import { nameOfTarget } from '../../../core/model/target-group.ts';
import './tls-roots.ts';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openLoadBalancers } from '../../../wiring/load-balancers.ts';
import { openBench as openAws } from '../aws/support.ts';
import { makeNodeGroups, openCompute, serviceAt } from './balancers.ts';
import { backendName, behindIngress, makeBackend, makeSharedGroups } from './ingress-backends.ts';
import { type GkeBench, openBench } from './support.ts';

let bench: GkeBench;
beforeEach(async () => {
  bench = await openBench();
});

async function openBoth() {
  const aws = await openAws();
  onTestFinished(async () => await aws.close());
  const google = { computeUrl: `${bench.gcp.computeUrl}/` };
  return { aws: aws.aws, balancers: openLoadBalancers({ clock: aws.clock, awsRegion: 'eu-west-1', google }) };
}

test('on nodes of GKE, Google Cloud: in the project and region of the nodes, without any configuration', async () => {
  const { aws, balancers } = await openBoth();
  const compute = openCompute(bench);
  const web = serviceAt(await makeNodeGroups(compute));
  const providerIds = compute.vms.map(({ zone, name }) => `gce://lab-project/${zone}/${name}`);

  const { groups, unsupported } = await balancers.discover([web], { providerIds });
  const [read] = await balancers.readTargets(groups);

  expect(unsupported).toEqual([]);
  expect(read?.targets.map(nameOfTarget).toSorted()).toEqual(compute.vms.map(({ name }) => name).toSorted());
  expect(aws.requests).toEqual([]);
});

test('on nodes of GKE, a Service without an address whose Ingress sends to it through nodes', async () => {
  const { aws, balancers } = await openBoth();
  const compute = openCompute(bench);
  await makeSharedGroups(compute);
  await makeBackend(compute);
  const providerIds = compute.vms.map(({ zone, name }) => `gce://lab-project/${zone}/${name}`);

  const { groups } = await balancers.discover([behindIngress([backendName()])], { providerIds });
  const [read] = await balancers.readTargets(groups);

  expect(read?.targets.map(nameOfTarget).toSorted()).toEqual(compute.vms.map(({ name }) => name).toSorted());
  expect(aws.requests).toEqual([]);
});

test('on nodes of AWS, nothing of Google Cloud, not even credentials', async () => {
  const { aws, balancers } = await openBoth();
  const web = serviceAt('web-1a2b.elb.eu-west-1.amazonaws.com');
  const inside = serviceAt('10.0.0.7', { key: 'default/inside' });

  const { groups, unsupported } = await balancers.discover([web, inside], { providerIds: ['aws:///eu-west-1a/i-1'] });

  expect(groups).toEqual([]);
  expect(unsupported.map(({ service }) => service).toSorted()).toEqual(['default/inside', 'default/web']);
  expect(aws.requests.length).toBeGreaterThan(0);
  expect(bench.gcp.requests).toEqual([]);
});
