/** A VM. */
export interface Instance {
  readonly id: string;
  readonly name: string;
  readonly zone: string;
  readonly machineType: string;
  readonly ip: string;
  readonly createdAt: string;
  status: 'PROVISIONING' | 'RUNNING' | 'STOPPING';
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
  targetSize: number;
  readonly members: Map<string, Member>;
  /** Newest first. */
  readonly errors: {
    readonly code: string;
    readonly message: string;
    readonly instance: string;
    readonly at: string;
  }[];
}

/** An operation of Compute Engine in one zone. */
export interface ComputeOperation {
  readonly name: string;
  readonly id: string;
  readonly zone: string;
  readonly type: string;
  readonly target: string;
  readonly requestId: string | undefined;
  readonly startedAt: string;
  status: 'RUNNING' | 'DONE';
  endedAt: string | undefined;
}
