import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AutoScalingClient, TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labNamespaces } from '../../lab/cluster/cleanup.ts';
import { askLab } from '../../lab/cluster/lock.ts';
import { type Lab, startLab } from '../../lab/lab.ts';
import { instanceNamespace } from '../../lab/network-plan.ts';
import { attempt, ended, run, start, until } from '../../lab/process.ts';
import { smallScenario } from '../../lab/scenarios/small.ts';
import { loadBalancerService } from '../../lab/scenarios/workloads.ts';
import { toolPaths } from '../../scripts/setup/paths.ts';
import { describeSourceIp } from '../support/source-ip/cases.ts';
import { labProcesses, leftovers } from './support/leftovers.ts';

const MAIN = fileURLToPath(new URL('../../lab/main.ts', import.meta.url));
const TOPOLOGY = new URL('../lab/dataplane/topology.ts', import.meta.url).href;
const EXCLUDE = 'node.kubernetes.io/exclude-from-external-load-balancers';

describe('a running lab', () => {
  let lab: Lab;
  let nodes: CoreV1Api;

  beforeAll(async () => {
    lab = await startLab(smallScenario);
    await lab.waitForTraffic();
    const config = new KubeConfig();
    config.loadFromFile(lab.kubeconfigPath);
    nodes = config.makeApiClient(CoreV1Api);
  });

  afterAll(() => lab.stop());

  it('has one old node in each zone, as the cloud controller manager labels them', async () => {
    const { items } = await nodes.listNode();
    const zones = items.map((node) => node.metadata?.labels?.['topology.kubernetes.io/zone']);
    expect(new Set(zones)).toEqual(new Set(['eu-west-1a', 'eu-west-1b']));
    expect(items.map((node) => node.status?.nodeInfo?.kubeletVersion)).toEqual(['v1.35.9', 'v1.35.9']);
  });

  it('refuses a second lab and names the holder of the first', async () => {
    await expect(startLab(smallScenario)).rejects.toThrow(`the lab is in use by process ${process.pid}`);
  });

  it('lets a worker inside reach the API server, AWS and a load balancer by its name', async () => {
    const [service] = lab.services;
    const script = `const { KubeConfig, CoreV1Api } = await import(process.argv[1]);
      const { EKS } = await import(process.argv[2]);
      const config = new KubeConfig();
      config.loadFromDefault();
      const { items } = await config.makeApiClient(CoreV1Api).listNode();
      const { cluster } = await new EKS().describeCluster({ name: 'lab' });
      const answer = await fetch('http://${service?.hostname}/');
      console.log(items.length, cluster.status, answer.status);`;
    const clients = ['@kubernetes/client-node', '@aws-sdk/client-eks'].map((name) => import.meta.resolve(name));
    const child = lab.spawnInOps(process.execPath, ['--input-type=module', '--eval', script, ...clients], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await ended(child);
    expect(output.trim()).toBe('2 ACTIVE 200');
  });

  it('has a cloud controller manager that takes an excluded node out of its target groups and back in', async () => {
    const { items } = await nodes.listNode();
    const node = items.at(0)?.metadata?.name ?? '';
    const id = items.at(0)?.spec?.providerID?.split('/').at(-1) ?? '';
    await label(node, 'true');
    await until(async () => (states(id).every((state) => state === 'draining') ? true : undefined), {
      what: 'the node is not deregistered',
      timeoutMs: 10_000,
    });
    await label(node, null);
    await until(async () => (states(id).every((state) => state === 'healthy') ? true : undefined), {
      what: 'the node is not registered again',
      timeoutMs: 60_000,
    });
  });

  describeSourceIp('AWS', () => ({
    lab,
    balanced: (name, clusterIP, externalTrafficPolicy) =>
      loadBalancerService({ name, clusterIP, externalTrafficPolicy, healthCheckIntervalSeconds: 5 }),
    checkOf: ({ name }) => {
      const arn = lab.services.find((service) => service.name === name)?.targetGroupArns[0] ?? '';
      const check = lab.aws.model.targetGroups.get(arn)?.healthCheck;
      if (check === undefined) throw new Error(`Service ${name} has no target group`);
      const { intervalSeconds, healthyThreshold: passes, unhealthyThreshold: failures } = check;
      return { periodMs: intervalSeconds * 1_000, passes, failures };
    },
  }));

  it('kills a terminated instance at once, without a word to anyone, and boots another', async () => {
    const { items } = await nodes.listNode();
    const victim = items.at(0);
    const id = victim?.spec?.providerID?.split('/').at(-1) ?? '';
    const aws = new AutoScalingClient({
      endpoint: lab.awsUrl,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    await aws.send(
      new TerminateInstanceInAutoScalingGroupCommand({ InstanceId: id, ShouldDecrementDesiredCapacity: false }),
    );
    aws.destroy();
    await until(async () => ((await labNamespaces()).includes(instanceNamespace(id)) ? undefined : true), {
      what: 'the namespace of the dead instance is still there',
      timeoutMs: 10_000,
    });
    expect(await ready()).toContain(victim?.metadata?.name);
    // 40 s until the node controller misses the kubelet, then the cloud controller manager asks for the instance.
    await until(async () => ((await ready()).includes(victim?.metadata?.name ?? '') ? undefined : true), {
      what: 'the node of the dead instance is still ready',
      timeoutMs: 90_000,
      everyMs: 1_000,
    });
    await until(async () => ((await ready()).length === 2 ? true : undefined), {
      what: 'there is no replacement',
      timeoutMs: 60_000,
      everyMs: 1_000,
    });
  });

  it('leaves nothing when it is stopped', async () => {
    await lab.stop();
    expect(await leftovers()).toEqual([]);
    expect(await askLab()).toBeUndefined();
  });

  async function label(name: string, value: string | null): Promise<void> {
    await nodes.patchNode(
      { name, body: { metadata: { labels: { [EXCLUDE]: value } } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
  }

  async function ready(): Promise<readonly string[]> {
    const { items } = await nodes.listNode();
    return items
      .filter((node) => node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'))
      .map((node) => node.metadata?.name ?? '');
  }

  /** The states of an instance in all target groups. */
  function states(id: string): readonly string[] {
    const targets = [...lab.aws.model.targetGroups.values()].flatMap((group) => [...group.targets.values()]);
    return targets.filter((target) => target.id === id).map((target) => target.state);
  }
});

describe('a lab whose host was killed', () => {
  it('has no process left and is removed by lab down', async () => {
    await run(process.execPath, [MAIN, 'up', 'small'], { timeoutMs: 180_000 });
    const running = await askLab();
    const pid = running?.holder.pid ?? 0;
    expect(pid).toBeGreaterThan(0);
    process.kill(pid, 'SIGKILL');
    await until(async () => ((await labProcesses()).length === 0 ? true : undefined), {
      what: 'processes outlive the host',
      timeoutMs: 10_000,
    });
    expect((await attempt(process.execPath, [MAIN, 'status'])).stdout).toBe('no lab is running\n');
    await run(process.execPath, [MAIN, 'down']);
    expect(await leftovers()).toEqual([]);
    await run(process.execPath, [MAIN, 'down']);
  });
});

describe('a network of the data plane’s tests whose test was killed', () => {
  it('is removed by lab down, like a lab', async () => {
    const script = `const { createTopology } = await import(process.argv[1]);
      await createTopology(process.argv[2], ['first', 'second']);
      console.log('ready');
      setInterval(() => undefined, 1_000);`;
    const args = ['--input-type=module', '--eval', script, TOPOLOGY, toolPaths().app];
    const child = start(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout ?? child, 'data');
    expect(await labNamespaces()).toHaveLength(4);
    child.kill('SIGKILL');
    await ended(child);
    await run(process.execPath, [MAIN, 'down']);
    expect(await leftovers()).toEqual([]);
  });
});
