/**
 * The test list of the proposal that brought `externalTrafficPolicy: Local` (design proposal "external-lb-source-ip-preservation" of
 * Kubernetes, section Testing), for any lab:
 * 1.1 the pods see the external address of the client;
 * 1.2 "pods explicitly pinned to nodes": health checks succeed and fail on the expected nodes as endpoints come and go, and the response times of the
 *     load balancer. It may send to a node without endpoints for (N+1) * HCP: N failed checks, one every HCP;
 * 2   inside the cluster, nodes without endpoints reach the Service;
 * 3   Services with both behaviours side by side.
 */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientAddresses, NAMESPACES } from '../../../lab/network-plan.ts';
import { sendFrom } from './requests.ts';
import {
  addressFor,
  type PreservingLab,
  type Scene,
  type SceneNode,
  type SceneService,
  setScene,
  when,
} from './scene.ts';

/** Pods of the lab's app listen here. */
const podPort = 8080;

/** Runs the list in the lab that `open` returns once the tests run. `where` names its cloud. */
export function describeSourceIp(where: string, open: () => PreservingLab): void {
  describe(`Services of both policies with the same pods, on ${where}`, () => {
    let scene: Scene;
    let unready: string;
    beforeAll(async () => {
      unready = join(open().lab.sharedFolder, 'unready-pinned');
      scene = await setScene(open());
    });
    afterAll(async () => {
      if (existsSync(unready)) await rm(unready);
      await scene?.clear();
    });

    /** Says how long the load balancer took to follow the health check of a node, and demands less than (N+1) periods. */
    const expectFollowed = async (node: SceneNode, wanted: 'healthy' | 'unhealthy') => {
      const { periodMs, passes, failures } = open().checkOf(scene.local.balanced);
      const boundMs = ((wanted === 'healthy' ? passes : failures) + 1) * periodMs;
      const tookMs = await follow(scene, node, wanted);
      process.stderr.write(`* ${where}: ${wanted} after ${tookMs} ms, of ${boundMs} ms at most\n`);
      expect(tookMs).toBeLessThanOrEqual(boundMs);
    };

    test('the pods see the addresses of clients under policy Local, and that of a node under policy Cluster', async () => {
      const { nodes, local, cluster } = scene;
      const [node] = nodes;
      const clients = clientAddresses().slice(0, 4);
      const addresses = await nodeAddresses(scene);
      expect(await seenBy(addressFor(local, node), clients)).toEqual(clients);
      for (const through of nodes) {
        const seen = await seenBy(addressFor(cluster, through), clients);
        for (const address of seen) expect(addresses).toContain(address);
      }
    });

    test('outside traffic is dropped at a node without endpoints under policy Local, and forwarded under policy Cluster', async () => {
      const { nodes, local, cluster } = scene;
      const requests = [local, cluster].flatMap(({ nodePort }) =>
        nodes.map(({ ip }) => ({ url: `http://${ip}:${nodePort}/` })),
      );
      const answers = await sendFrom(NAMESPACES.client, requests);
      expect(answers.map(({ status, pod, body }) => (status === 0 ? body : pod))).toEqual([
        'pinned-1',
        'timed out',
        'pinned-1',
        'pinned-1',
      ]);
    });

    test.each(['Local', 'Cluster'] as const)(
      'nodes and pods without an endpoint beside them reach policy %s',
      async (policy) => {
        const [, other] = scene.nodes;
        const service = policy === 'Local' ? scene.local : scene.cluster;
        const urls = insideUrls(service, other);
        expect(
          (
            await sendFrom(
              other.namespace,
              urls.map((url) => ({ url })),
            )
          ).map(({ pod }) => pod),
        ).toEqual(urls.map(() => 'pinned-1'));
        const fromPod = (await dialFrom(scene, other, urls)).map(({ pod }) => pod);
        expect(fromPod).toEqual(urls.map(() => 'pinned-1'));
      },
    );

    test('between pods it shows the address of the pod, whatever the policy', async () => {
      const [, other] = scene.nodes;
      const urls = [scene.local, scene.cluster].map(({ clusterIP }) => `http://${clusterIP}/clientip`);
      const caller = await scene.agentOn(other);
      expect((await dialFrom(scene, other, urls)).map(({ body }) => withoutPort(body))).toEqual([caller, caller]);
    });

    test('health checks pass where pods are and fail where none is, and the load balancer agrees', async () => {
      const { nodes, local, cluster } = scene;
      const [first, second] = nodes;
      expect(await scene.healthOn(first)).toEqual({ status: 200, localEndpoints: 1 });
      expect(await scene.healthOn(second)).toEqual({ status: 503, localEndpoints: 0 });
      expect(scene.fault(local, second)).toBeDefined();
      expect(nodes.map((node) => scene.fault(cluster, node))).toEqual([undefined, undefined]);
    });

    test('a node that gets a pod is healthy within (N+1) health checks', async () => {
      const [, second] = scene.nodes;
      await scene.start('pinned-2', second, unready);
      await expectFollowed(second, 'healthy');
      expect(await scene.healthOn(second)).toEqual({ status: 200, localEndpoints: 1 });
      await when(
        'the second pod gets no connection',
        async () => (await answeredBy(scene.local, second)) === 'pinned-2',
      );
    });

    test('a node that loses its pod is unhealthy within (N+1) health checks', async () => {
      const [first, second] = scene.nodes;
      await scene.delete('pinned-1');
      await expectFollowed(first, 'unhealthy');
      expect(await scene.healthOn(first)).toEqual({ status: 503, localEndpoints: 0 });
      expect(scene.fault(scene.local, second)).toBeUndefined();
      const clients = clientAddresses().slice(0, 4);
      // Where a controller detaches the node as soon as its pod terminates, the load balancer spreads that for a while.
      await when('connections still go to the first node', async () => {
        const seen = await seenBy(addressFor(scene.local, second), clients);
        return clients.every((client, index) => seen[index] === client);
      });
      for (const node of scene.nodes) expect(await answeredBy(scene.cluster, node)).toBe('pinned-2');
    });

    test('a node whose pod is not ready is unhealthy within (N+1) health checks', async () => {
      const [, second] = scene.nodes;
      await writeFile(unready, '');
      await expectFollowed(second, 'unhealthy');
      expect(await scene.healthOn(second)).toEqual({ status: 503, localEndpoints: 0 });
    });
  });
}

/** Ways to a Service from inside: its cluster address, its port on that node, and the addresses in its status. */
function insideUrls({ clusterIP, nodePort, statusAddresses }: SceneService, { ip }: SceneNode): readonly string[] {
  return [clusterIP, `${ip}:${nodePort}`, ...statusAddresses].map((address) => `http://${address}/`);
}

/** Requests from a pod of that node that is behind neither Service. */
async function dialFrom(scene: Scene, node: SceneNode, urls: readonly string[]) {
  const pod = `http://${await scene.agentOn(node)}:${podPort}`;
  return await sendFrom(
    node.namespace,
    urls.map((url) => ({ url: `${pod}/dial?url=${encodeURIComponent(url)}` })),
  );
}

/** The addresses that a pod sees of these clients. */
async function seenBy(url: string, clients: readonly string[]): Promise<readonly string[]> {
  const answers = await sendFrom(
    NAMESPACES.client,
    clients.map((from) => ({ url: `${url}/clientip`, from })),
  );
  return answers.map(({ body }) => withoutPort(body));
}

async function answeredBy(service: SceneService, node: SceneNode): Promise<string | undefined> {
  const [answer] = await sendFrom(NAMESPACES.client, [{ url: `${addressFor(service, node)}/` }]);
  return answer?.pod;
}

/** Addresses of nodes: their own, and the first of the network of their pods, from which a node sends to those that run on it. */
async function nodeAddresses(scene: Scene): Promise<readonly string[]> {
  const gateways = await Promise.all(scene.nodes.map(async (node) => await scene.agentOn(node)));
  return [...scene.nodes.map(({ ip }) => ip), ...gateways.map((ip) => ip.replace(/\d+$/, '1'))];
}

function withoutPort(address: string): string {
  return address.replace(/:\d+$/, '');
}

/**
 * How long, ms, the load balancer took from what the node's health check answers, and from when it knows the node, to the same opinion. 0 where it has
 * not waited for the health check: ingress-gce detaches a node when its last pod begins to terminate (pkg/neg/types/types.go,
 * EndpointsDataFromEndpointSlices).
 */
async function follow(scene: Scene, node: SceneNode, wanted: 'healthy' | 'unhealthy'): Promise<number> {
  const status = wanted === 'healthy' ? 200 : 503;
  const isKnown = () => !/is no member|is not registered/.test(scene.fault(scene.local, node) ?? '');
  const agrees = () => (scene.fault(scene.local, node) === undefined) === (wanted === 'healthy');
  const [answered, known, declared] = await Promise.all([
    when(`the health check does not answer ${status}`, async () => (await scene.healthOn(node)).status === status),
    wanted === 'healthy' ? when('the load balancer does not know the node', isKnown) : 0,
    when(`the node is not ${wanted}`, agrees),
  ]);
  return Math.max(0, declared - Math.max(answered, known));
}
