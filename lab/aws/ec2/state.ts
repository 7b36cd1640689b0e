import type { NodeIdentity } from '../../contracts.ts';

/** Life of an instance (EC2 user guide, "Instance lifecycle"). */
export type InstanceState = 'pending' | 'running' | 'shutting-down' | 'terminated';

/** A virtual machine. */
export interface Instance {
  readonly id: string;
  readonly zone: string;
  readonly subnetId: string;
  readonly instanceType: string;
  readonly imageId: string;
  readonly privateIp: string;
  readonly privateDnsName: string;
  /** Milliseconds since the epoch. */
  readonly launchedAt: number;
  readonly tags: Map<string, string>;
  readonly node: NodeIdentity | undefined;
  /** An instance that boots but never becomes a node (injected fault). */
  readonly neverJoins: boolean;
  state: InstanceState;
}

/** A subnet of one zone. */
export interface Subnet {
  readonly id: string;
  readonly zone: string;
  readonly cidr: string;
  readonly tags: Map<string, string>;
}

/** One rule of a security group. */
export interface SecurityGroupRule {
  readonly protocol: string;
  readonly fromPort: number | undefined;
  readonly toPort: number | undefined;
  /** A CIDR, or the id of a security group. */
  readonly source: { readonly cidr: string; readonly description?: string } | { readonly groupId: string };
}

/** A security group with its inbound rules. */
export interface SecurityGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: Map<string, string>;
  rules: readonly SecurityGroupRule[];
}

/** The virtual network that everything is in. */
export interface Network {
  readonly vpcId: string;
  readonly cidr: string;
  readonly subnets: readonly Subnet[];
  readonly routeTableId: string;
  readonly internetGatewayId: string;
  readonly securityGroups: Map<string, SecurityGroup>;
  /** Last used host number per subnet id. */
  readonly lastHost: Map<string, number>;
  /** Last used host number among the load balancers' addresses. */
  lastVip: number;
}

/** A launch template with its versions, oldest first. */
export interface LaunchTemplate {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly versions: LaunchTemplateVersion[];
  readonly defaultVersion: number;
}

/** One version of a launch template; an image or type that it does not set is empty. */
export interface LaunchTemplateVersion {
  readonly number: number;
  readonly imageId: string;
  readonly instanceType: string;
}
