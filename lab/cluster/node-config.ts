/** The configuration files and arguments of one node's processes. Pure. */

import type { ToolPaths } from '../../scripts/setup/paths.ts';
import type { BootedInstance } from '../contracts.ts';
import { POD_CIDR, podSubnet } from '../network-plan.ts';
import { IMAGES } from './images.ts';

/** Where distributions install the CNI plugins: Debian first, then upstream's own path. */
export const CNI_PLUGIN_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin'] as const;

/** The kubelet for a Kubernetes version such as `1.35` or `v1.35.9`; undefined when there is none. */
export function kubeletFor(tools: Pick<ToolPaths, 'kubelet' | 'kubeletOld'>, version: string): string | undefined {
  switch (/^v?(\d+\.\d+)/.exec(version)?.[1]) {
    case '1.35':
      return tools.kubeletOld;
    case '1.36':
      return tools.kubelet;
    default:
      return undefined;
  }
}

/** Folders of one node, all inside its own folder. */
export interface NodeFolders {
  readonly base: string;
  readonly containerd: string;
  readonly cni: string;
  readonly cniState: string;
  readonly kubelet: string;
  readonly podLogs: string;
  readonly containerLogs: string;
}

/** The folders of a node whose own folder is `base`. */
export function nodeFolders(base: string): NodeFolders {
  return {
    base,
    containerd: `${base}/containerd`,
    cni: `${base}/cni`,
    cniState: `${base}/cni-state`,
    kubelet: `${base}/kubelet`,
    podLogs: `${base}/log/pods`,
    containerLogs: `${base}/log/containers`,
  };
}

/** Where the node's containerd listens; usable from the root namespace too: `ctr -a <socket> -n k8s.io c ls`. */
export function containerdSocket(folders: NodeFolders): string {
  return `${folders.base}/containerd.sock`;
}

/** The configuration of a node's containerd, in TOML. */
export function containerdConfig(folders: NodeFolders, cniPlugins: string): string {
  return `version = 2
root = "${folders.containerd}"
state = "/run/containerd"
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.internal.v1.opt",
]
[grpc]
  address = "${containerdSocket(folders)}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${IMAGES.pause}"
  # Lowering an OOM score needs CAP_SYS_RESOURCE, which containers and sandboxes often lack.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cniPlugins}"
    conf_dir = "${folders.cni}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
`;
}

/**
 * The node's CNI configuration: one routed veth per pod, as in a VPC. With a bridge, responses of a pod to another pod on the same node would bypass
 * the node's address translation.
 */
export function cniConfig(folders: NodeFolders, node: number): string {
  return JSON.stringify({
    cniVersion: '0.4.0',
    name: 'lab',
    plugins: [
      {
        type: 'ptp',
        ipMasq: false,
        ipam: {
          type: 'host-local',
          dataDir: `${folders.cniState}/ipam`,
          ranges: [[{ subnet: podSubnet(node) }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  });
}

/**
 * The kubelet's configuration (kubelet.config.k8s.io/v1beta1). It differs from the defaults only in what a host shared by many kubelets needs; all
 * times are as on EKS.
 */
export function kubeletConfig(instance: BootedInstance, folders: NodeFolders): Record<string, unknown> {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: instance.privateIp,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: `unix://${containerdSocket(folders)}`,
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    localStorageCapacityIsolation: false,
    podLogsDir: folders.podLogs,
    // No name server inside the lab: an empty resolv.conf fails at once instead of timing out.
    resolvConf: '',
    maxPods: 30,
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'nodefs.inodesFree': '1%',
      'imagefs.available': '1%',
    },
    // Only statistics of the whole host would be collected; negative means never.
    volumeStatsAggPeriod: '-1s',
    registerWithTaints: instance.taints.map(({ key, value, effect }) => ({ key, value, effect, timeAdded: null })),
  };
}

/** The kubelet's arguments that its configuration file can't express. */
export function kubeletArguments(
  instance: BootedInstance,
  folders: NodeFolders,
  kubeconfig: string,
): readonly string[] {
  const labels = Object.entries(instance.labels).map(([key, value]) => `${key}=${value}`);
  return [
    `--config=${folders.base}/kubelet.json`,
    `--kubeconfig=${kubeconfig}`,
    `--root-dir=${folders.kubelet}`,
    `--cert-dir=${folders.kubelet}/pki`,
    `--hostname-override=${instance.privateDnsName}`,
    `--node-ip=${instance.privateIp}`,
    '--cloud-provider=external',
    `--provider-id=${instance.providerId}`,
    '--housekeeping-interval=30s',
    ...(labels.length === 0 ? [] : [`--node-labels=${labels.join(',')}`]),
  ];
}

/** kube-proxy's arguments. Mode and minimum sync period are the defaults, as on EKS. */
export function kubeProxyArguments(instance: BootedInstance, kubeconfig: string): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${instance.privateDnsName}`,
    `--cluster-cidr=${POD_CIDR}`,
    '--proxy-mode=iptables',
    '--healthz-bind-address=0.0.0.0:10256',
    '--metrics-bind-address=127.0.0.1:10249',
    // Connection tracking limits belong to the whole host: a namespace must not change them.
    '--conntrack-max-per-core=0',
    '--conntrack-tcp-timeout-established=0',
    '--conntrack-tcp-timeout-close-wait=0',
  ];
}

/** A folder that a node sees in place of another one. */
export interface BindMount {
  readonly source: string;
  readonly target: string;
}

/**
 * The first process of a node (POSIX sh). It mounts the node's own folders over those of the host, signals that it has done so, and then reaps
 * orphans for as long as the node lives.
 */
export function nodeInit(
  instance: BootedInstance,
  folders: NodeFolders,
  stateDir: string,
  cgroups: readonly BindMount[],
): string {
  const { base } = folders;
  const mounts: readonly BindMount[] = [
    ...cgroups,
    { source: folders.kubelet, target: '/var/lib/kubelet' },
    { source: folders.cniState, target: '/var/lib/cni' },
    { source: folders.containerLogs, target: '/var/log/containers' },
    { source: stateDir, target: `${base}${stateDir}` },
  ];
  // `mount -n` does not write to /run/mount, which belongs to the host before /run has been replaced, and does not exist afterwards.
  return `set -e
hostname ${instance.privateDnsName}
mkdir -p ${base}/run
mount -n -t tmpfs -o mode=755 tmpfs ${base}/run
mkdir -p ${base}/run/netns ${base}/run/containerd ${base}${stateDir}
${mounts.map(({ source, target }) => `mount -n --bind ${source} ${target}`).join('\n')}
mount -n --move ${base}/run /run
echo > ${base}/booted
while :; do sleep 86400 & wait; done
`;
}
