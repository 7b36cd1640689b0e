/**
 * The interfaces between the parts of the lab: the simulated cloud decides, the cluster boots and kills nodes, the data plane forwards packets. Times
 * are milliseconds unless a name says otherwise.
 */

/** How long the simulated cloud takes for each operation; a preset is a complete set of these. */
export interface CloudDelays {
  /** From launch by the Auto Scaling group to state `running`, when the instance starts to boot. */
  readonly instanceBootMs: number;
  /** From TerminateInstance… to `terminated`; the instance is dead from the first moment on. */
  readonly instanceTerminationMs: number;
  /** From CreateNodegroup to the moment when its Auto Scaling group exists and launches instances. */
  readonly nodegroupCreateMs: number;
  /** From DeleteNodegroup until the group is gone, not counting its instances. */
  readonly nodegroupDeleteMs: number;
  /** From RegisterTargets to the first health check that counts (real NLB: 90-180 s). */
  readonly registrationMs: number;
  /** New connections still reach a target for this long after DeregisterTargets (real NLB: about 120 s). */
  readonly deregistrationPropagationMs: number;
  /** New connections still reach a target for this long after it was found unhealthy (real NLB: 30-40 s). */
  readonly unhealthyPropagationMs: number;
  /** New connections reach a target this long after it was found healthy. */
  readonly healthyPropagationMs: number;
}

/** An instance that the simulated cloud has switched on; the cluster makes a node of it. */
export interface BootedInstance {
  /** ID of EC2, or name of a VM at Google. */
  readonly instanceId: string;
  /** As the Node object names it: `aws:///eu-west-1a/i-0123456789abcdef0`. */
  readonly providerId: string;
  /** Availability zone, e.g. `eu-west-1a`. */
  readonly zone: string;
  readonly instanceType: string;
  /** Primary IPv4 address: the kubelet's node IP. */
  readonly privateIp: string;
  /** The node's name. On EC2 its private DNS name, `ip-10-0-1-11.eu-west-1.compute.internal`; on Google that of the VM. */
  readonly privateDnsName: string;
  /** Node pool of the instance, and the labels and taints that the cloud gives its nodes. */
  readonly nodegroup: string;
  readonly kubernetesVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value: string; readonly effect: string }[];
}

/** What an instance's pool says about the node that becomes of it. */
export type NodeIdentity = Pick<BootedInstance, 'nodegroup' | 'kubernetesVersion' | 'labels' | 'taints'>;

/** Called by the simulated cloud when instances are started and terminated. Must not throw; long work continues in the background. */
export interface InstanceHooks {
  boot(instance: BootedInstance): void;
  terminate(instanceId: string): void;
}

/** One address of a load balancer in one zone, with the targets that get its new connections at this moment. */
export interface ForwardingRule {
  readonly loadBalancerName: string;
  /**
   * `nat`, the default: the target sees its own address as destination, and answers through the load balancer. `proxy`: as `nat`, but the target sees
   * an address of the load balancer instead of the client's. `passthrough`: the packet's destination stays `vip`, of PASSTHROUGH_CIDRS, on the same
   * port; the target answers the client directly, and its `port` is without meaning.
   */
  readonly mode?: 'nat' | 'proxy' | 'passthrough';
  readonly dnsName: string;
  readonly zone: string;
  /** The load balancer's IPv4 address in this zone. */
  readonly vip: string;
  readonly port: number;
  readonly targets: readonly { readonly instanceId: string; readonly ip: string; readonly port: number }[];
}

/** A health check that the data plane must run from the load balancer's namespace. */
export interface HealthProbe {
  /** Stable for one target of one target group. */
  readonly id: string;
  readonly ip: string;
  readonly port: number;
  readonly protocol: 'HTTP' | 'TCP';
  /** For HTTP: GET this path, healthy on 200-399. */
  readonly path: string;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** The outcome of one health check. */
export interface ProbeResult {
  readonly id: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Established connections that the load balancer must break now (connection termination, unhealthy reset, end of draining). */
export interface BrokenFlows {
  readonly vip: string;
  readonly port: number;
  readonly targetIp: string;
  /** Without meaning for `passthrough`. */
  readonly targetPort: number;
}

/** What the simulated load balancers need from the data plane. Implemented by the nftables data plane; unit tests use none. */
export interface DataPlane {
  /** Replaces all rules in one transaction. */
  forward(rules: readonly ForwardingRule[]): void;
  /** Replaces the set of running health checks; each result goes to `onResult`. */
  probe(probes: readonly HealthProbe[], onResult: (result: ProbeResult) => void): void;
  breakFlows(flows: readonly BrokenFlows[]): void;
}
