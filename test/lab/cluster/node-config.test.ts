import { describe, expect, it } from 'vitest';
import {
  cniConfig,
  containerdConfig,
  kubeletArguments,
  kubeletConfig,
  kubeletFor,
  kubeProxyArguments,
  nodeFolders,
  nodeInit,
} from '../../../lab/cluster/node-config.ts';
import type { BootedInstance } from '../../../lab/contracts.ts';

const instance: BootedInstance = {
  instanceId: 'i-0123456789abcdef0',
  providerId: 'aws:///eu-west-1b/i-0123456789abcdef0',
  zone: 'eu-west-1b',
  instanceType: 'm7i.large',
  privateIp: '10.0.2.11',
  privateDnsName: 'ip-10-0-2-11.eu-west-1.compute.internal',
  nodegroup: 'web',
  kubernetesVersion: 'v1.35.9',
  labels: { 'eks.amazonaws.com/nodegroup': 'web', pool: 'web' },
  taints: [{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }],
};
const folders = nodeFolders('/run/lab/nodes/i-0123456789abcdef0');

describe('node configuration', () => {
  it('lets the cloud controller manager find the instance behind a node', () => {
    const args = kubeletArguments(instance, folders, '/run/lab/kubeconfig');
    expect(args).toContain('--cloud-provider=external');
    expect(args).toContain('--provider-id=aws:///eu-west-1b/i-0123456789abcdef0');
    expect(args).toContain('--hostname-override=ip-10-0-2-11.eu-west-1.compute.internal');
    expect(args).toContain('--node-ip=10.0.2.11');
  });

  it('passes the labels of the node group on', () => {
    const args = kubeletArguments(instance, folders, '/run/lab/kubeconfig');
    expect(args).toContain('--node-labels=eks.amazonaws.com/nodegroup=web,pool=web');
  });

  it('leaves the label flag away when there are none', () => {
    const args = kubeletArguments({ ...instance, labels: {} }, folders, '/run/lab/kubeconfig');
    expect(args.filter((arg) => arg.startsWith('--node-labels'))).toEqual([]);
  });

  it('registers the node with the taints of its node group', () => {
    expect(kubeletConfig(instance, folders)).toMatchObject({
      registerWithTaints: [{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }],
    });
  });

  it('leaves the times that a pool upgrade depends on at their defaults', () => {
    const config = kubeletConfig(instance, folders);
    for (const key of [
      'nodeStatusUpdateFrequency',
      'nodeLeaseDurationSeconds',
      'syncFrequency',
      'shutdownGracePeriod',
    ]) {
      expect(config).not.toHaveProperty(key);
    }
    const proxy = kubeProxyArguments(instance, '/run/lab/kubeconfig').join(' ');
    expect(proxy).not.toMatch(/sync-period/);
  });

  it('answers load balancer health checks and leaves connection tracking limits to the host', () => {
    const args = kubeProxyArguments(instance, '/run/lab/kubeconfig');
    expect(args).toContain('--healthz-bind-address=0.0.0.0:10256');
    expect(args).toContain('--conntrack-max-per-core=0');
  });

  it('gives pods addresses of the node subnet and routes them through the node', () => {
    const config: unknown = JSON.parse(cniConfig(folders, 7));
    expect(config).toMatchObject({
      plugins: [
        {
          type: 'ptp',
          ipMasq: false,
          ipam: { ranges: [[{ subnet: '10.244.7.0/24' }]], routes: [{ dst: '0.0.0.0/0' }] },
        },
      ],
    });
  });

  it('keeps all files of containerd in the folder of the node', () => {
    const config = containerdConfig(folders, '/usr/lib/cni');
    expect(config).toContain(`root = "${folders.containerd}"`);
    expect(config).toContain(`conf_dir = "${folders.cni}"`);
    expect(config).toContain('sandbox_image = "lab.local/pause:1"');
  });

  it('replaces /run last, when everything that it holds has been mounted', () => {
    const script = nodeInit(instance, folders, '/run/lab', [
      { source: '/sys/fs/cgroup/cpu/lab/i', target: '/sys/fs/cgroup/cpu' },
    ]);
    const lines = script.split('\n');
    const move = lines.findIndex((line) => line.includes('--move'));
    const binds = lines.flatMap((line, index) => (line.includes('--bind') ? [index] : []));
    expect(Math.max(...binds)).toBeLessThan(move);
    expect(lines).toContain('mount -n --bind /sys/fs/cgroup/cpu/lab/i /sys/fs/cgroup/cpu');
  });

  it('chooses the kubelet by the minor version and has none for others', () => {
    const tools = { kubelet: '/new/kubelet', kubeletOld: '/old/kubelet' };
    expect(kubeletFor(tools, 'v1.35.9')).toBe('/old/kubelet');
    expect(kubeletFor(tools, '1.36')).toBe('/new/kubelet');
    expect(kubeletFor(tools, 'v1.34.8')).toBeUndefined();
    expect(kubeletFor(tools, 'latest')).toBeUndefined();
  });
});
