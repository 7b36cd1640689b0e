import type { NodegroupIssueCode, NodegroupStatus, Taint } from '@aws-sdk/client-eks';

/** The control plane as EKS describes it. */
export interface EksCluster {
  readonly name: string;
  readonly arn: string;
  /** Kubernetes minor version, e.g. `1.36`. */
  readonly version: string;
  /** URL of the API server. */
  readonly endpoint: string;
  readonly createdAt: number;
  readonly tags: Map<string, string>;
  /** Newest release of the node image by Kubernetes minor version, e.g. `1.36.3-20261107`. */
  readonly releases: Readonly<Record<string, string>>;
}

/** What is wrong with a node group. */
export interface NodegroupIssue {
  readonly code: NodegroupIssueCode;
  readonly message: string;
  readonly resourceIds: readonly string[];
}

/** One UpdateNodegroupConfig. */
export interface NodegroupUpdate {
  readonly id: string;
  readonly type: 'ConfigUpdate';
  readonly createdAt: number;
  readonly params: readonly {
    readonly type: 'LabelsToAdd' | 'DesiredSize' | 'MinSize' | 'MaxSize' | 'MaxUnavailable';
    readonly value: string;
  }[];
  status: 'InProgress' | 'Successful';
}

/** A managed node group. */
export interface Nodegroup {
  readonly name: string;
  readonly id: string;
  readonly arn: string;
  readonly version: string;
  readonly releaseVersion: string;
  readonly imageId: string;
  readonly createdAt: number;
  readonly clientToken: string;
  /** The original request, for members that are only returned. */
  readonly request: {
    readonly subnets: readonly string[];
    readonly nodeRole: string;
    readonly instanceTypes: readonly string[];
    readonly amiType: string;
    readonly capacityType: string;
    readonly diskSize: number | undefined;
    /** The customer's own launch template; EKS derives its own from it. */
    readonly launchTemplate: { readonly id: string; readonly name: string; readonly version: string } | undefined;
  };
  readonly tags: Map<string, string>;
  readonly labels: Map<string, string>;
  readonly updates: NodegroupUpdate[];
  taints: readonly Taint[];
  status: NodegroupStatus;
  issues: readonly NodegroupIssue[];
  autoScalingGroup: string | undefined;
  scaling: { readonly min: number; readonly max: number; readonly desired: number };
  maxUnavailable: { readonly count?: number; readonly percentage?: number };
  modifiedAt: number;
}
