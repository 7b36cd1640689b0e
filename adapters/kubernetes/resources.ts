/** What a role has to allow on one resource, and where. */
interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly subresource?: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  /**
   * `cluster`: everywhere; `lease-namespace`: where the locks are; `default-namespace`: where Events of nodes are; `nowhere`: no role of ours has
   * to allow it, because Kubernetes allows it to everybody who can sign in.
   */
  readonly where: 'cluster' | 'lease-namespace' | 'default-namespace' | 'nowhere';
}

/** Verbs of Kubernetes' authorization that this adapter needs. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/**
 * Everything that this adapter asks of an API server. A request can only name a resource and verb of this table, so the table is also the list of
 * permissions: deploy/rbac is tested against it, and errors quote it.
 */
export const resources = {
  nodes: core('nodes', false, ['get', 'list', 'watch', 'patch', 'delete']),
  pods: core('pods', true, ['get', 'list', 'watch', 'patch', 'delete']),
  evictions: { ...core('pods', true, ['create']), subresource: 'eviction' },
  services: core('services', true, ['list', 'watch']),
  endpointSlices: grouped('discovery.k8s.io', 'endpointslices', true, ['list', 'watch']),
  podDisruptionBudgets: grouped('policy', 'poddisruptionbudgets', true, ['list', 'watch']),
  persistentVolumeClaims: core('persistentvolumeclaims', true, ['get']),
  volumeAttachments: grouped('storage.k8s.io', 'volumeattachments', false, ['list', 'watch']),
  replicaSets: grouped('apps', 'replicasets', true, ['list', 'watch']),
  deployments: grouped('apps', 'deployments', true, ['list', 'watch']),
  statefulSets: grouped('apps', 'statefulsets', true, ['list', 'watch']),
  daemonSets: grouped('apps', 'daemonsets', true, ['list', 'watch']),
  networkPolicies: grouped('networking.k8s.io', 'networkpolicies', true, ['list']),
  ingresses: grouped('networking.k8s.io', 'ingresses', true, ['list']),
  ciliumNetworkPolicies: { ...grouped('cilium.io', 'ciliumnetworkpolicies', true, ['list']), version: 'v2' },
  ciliumClusterwideNetworkPolicies: {
    ...grouped('cilium.io', 'ciliumclusterwidenetworkpolicies', false, ['list']),
    version: 'v2',
  },
  horizontalPodAutoscalers: {
    ...grouped('autoscaling', 'horizontalpodautoscalers', true, ['list']),
    version: 'v2',
  },
  resourceQuotas: core('resourcequotas', true, ['list']),
  limitRanges: core('limitranges', true, ['list']),
  persistentVolumes: core('persistentvolumes', false, ['list']),
  verticalPodAutoscalers: grouped('autoscaling.k8s.io', 'verticalpodautoscalers', true, ['list']),
  targetGroupBindings: { ...grouped('elbv2.k8s.aws', 'targetgroupbindings', true, ['list']), version: 'v1beta1' },
  // Those of EKS Auto Mode (EKS user guide, "Enable EKS Auto Mode on existing EKS clusters", migration reference).
  autoModeBindings: grouped('eks.amazonaws.com', 'targetgroupbindings', true, ['list']),
  validatingWebhookConfigurations: grouped('admissionregistration.k8s.io', 'validatingwebhookconfigurations', false, [
    'list',
  ]),
  mutatingWebhookConfigurations: grouped('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', false, [
    'list',
  ]),
  apiServices: grouped('apiregistration.k8s.io', 'apiservices', false, ['list']),
  karpenterNodePools: grouped('karpenter.sh', 'nodepools', false, ['list']),
  replicationControllers: core('replicationcontrollers', true, ['list']),
  namespaces: core('namespaces', false, ['get']),
  leases: {
    ...grouped('coordination.k8s.io', 'leases', true, ['get', 'list', 'create', 'update', 'delete']),
    where: 'lease-namespace',
  },
  configMaps: { ...core('configmaps', true, ['get', 'create', 'update']), where: 'lease-namespace' },
  // Cluster role system:basic-user (Kubernetes docs, "Using RBAC Authorization", discovery roles).
  selfSubjectAccessReviews: {
    ...grouped('authorization.k8s.io', 'selfsubjectaccessreviews', false, ['create']),
    where: 'nowhere',
  },
  events: { ...grouped('events.k8s.io', 'events', true, ['get', 'create', 'patch']), where: 'default-namespace' },
} as const satisfies Record<string, Resource>;

/** Name of a resource in the table. */
export type ResourceName = keyof typeof resources;

/** Resources that the caches keep. */
const watchedResources = [
  'nodes',
  'pods',
  'services',
  'endpointSlices',
  'podDisruptionBudgets',
  'volumeAttachments',
  'replicaSets',
  'deployments',
  'statefulSets',
  'daemonSets',
] as const satisfies readonly ResourceName[];

/** One of the resources that the caches keep. */
export type WatchedResource = (typeof watchedResources)[number];

/** A verb on a resource, as long as the table allows it. */
export type Operation = {
  [R in ResourceName]: { resource: R; verb: (typeof resources)[R]['verbs'][number] };
}[ResourceName];

/** A rule of a Role or ClusterRole (rbac.authorization.k8s.io/v1). */
export interface RbacRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** URL path of a collection or, with a name, of one object. */
export function resourcePath(resource: ResourceName, namespace?: string, name?: string): string {
  const { group, version, plural, namespaced, ...rest }: Resource = resources[resource];
  const parts = [group === '' ? `/api/${version}` : `/apis/${group}/${version}`];
  if (namespaced && namespace !== undefined) parts.push('namespaces', encodeURIComponent(namespace));
  parts.push(plural);
  if (name !== undefined) parts.push(encodeURIComponent(name));
  if (rest.subresource !== undefined) parts.push(rest.subresource);
  return parts.join('/');
}

/** The rule that allows what the table lists for a resource. */
export function rbacRule(resource: ResourceName): RbacRule {
  const { group, verbs }: Resource = resources[resource];
  return { apiGroups: [group], resources: [rbacName(resource)], verbs };
}

/** How a role spells the resource: `pods`, `pods/eviction`. */
export function rbacName(resource: ResourceName): string {
  const { plural, subresource }: Resource = resources[resource];
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}

function core<const V extends readonly Verb[]>(plural: string, namespaced: boolean, verbs: V) {
  return { group: '', version: 'v1', plural, namespaced, verbs, where: 'cluster' } as const;
}

function grouped<const V extends readonly Verb[]>(group: string, plural: string, namespaced: boolean, verbs: V) {
  return { group, version: 'v1', plural, namespaced, verbs, where: 'cluster' } as const;
}
