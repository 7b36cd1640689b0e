import type { NodeIdentity } from '../../contracts.ts';

/** A VM. */
export interface Instance {
  readonly id: string;
  readonly name: string;
  readonly zone: string;
  readonly machineType: string;
  readonly ip: string;
  readonly createdAt: string;
  /** The node that it becomes. */
  readonly node: NodeIdentity;
  /** `TERMINATED` is one that is off: it can be started again (Compute Engine documentation, "Instance life cycle"). */
  status: 'PROVISIONING' | 'RUNNING' | 'STOPPING' | 'TERMINATED';
}

/** What a managed instance group does with a member (Compute API reference, instanceGroupManagers.listManagedInstances, currentAction). */
type MemberAction = 'NONE' | 'CREATING' | 'RECREATING' | 'DELETING';

/** A VM that a managed instance group has or wants to have. */
export interface Member {
  readonly name: string;
  action: MemberAction;
}

/** A managed instance group: the nodes of one pool in one zone. */
export interface InstanceGroup {
  readonly name: string;
  readonly zone: string;
  readonly machineType: string;
  readonly id: string;
  /** What its VMs become. */
  readonly node: NodeIdentity;
  targetSize: number;
  /** Paths of the target pools that it adds its VMs to. That those get them is not modelled. */
  targetPools: readonly string[];
  readonly members: Map<string, Member>;
  /** Newest first. */
  readonly errors: {
    readonly code: string;
    readonly message: string;
    readonly instance: string;
    readonly at: string;
  }[];
}

/** An operation of Compute Engine. */
export interface ComputeOperation {
  readonly name: string;
  readonly id: string;
  /** `zones/Z`, `regions/R` or `global`. */
  readonly scope: string;
  readonly type: string;
  /** Path of what it changes, below the project. */
  readonly target: string;
  readonly requestId: string | undefined;
  readonly startedAt: string;
  status: 'RUNNING' | 'DONE';
  /** It fails, or has failed. Whoever repeats its request ID is told of it, and nothing is tried again. */
  readonly fails: boolean;
  endedAt: string | undefined;
  /** Called when it is done. */
  readonly waiters: (() => void)[];
}

/** A member of a target pool, an instance group or a network endpoint group. */
export interface Backend {
  /** `zones/Z/instances/N`. */
  readonly instance: string;
  /** Of a network endpoint, empty for one that has only the other; undefined where the VM as a whole is the member. */
  readonly ip: string | undefined;
  /** Of a network endpoint that has one. */
  readonly ipv6?: string | undefined;
  /** Of an endpoint GCE_VM_IP_PORT. */
  readonly port: number | undefined;
  /** Epoch ms. */
  readonly attachedAt: number;
  /** It is being detached: its connections are drained. */
  draining: boolean;
}

/** What identifies a member of a group. */
export type BackendKey = Pick<Backend, 'instance' | 'ip' | 'ipv6' | 'port'>;

/** A resource that a client describes: what was sent, and what the cloud adds to it. */
export interface Resource {
  /** Below the project, e.g. `regions/R/forwardingRules/N`. */
  readonly path: string;
  readonly id: string;
  readonly createdAt: string;
  /** Counts changes. The fingerprint is made from it. */
  revision: number;
  fields: Readonly<Record<string, unknown>>;
  /** Of what has members. */
  backends: readonly Backend[];
}
