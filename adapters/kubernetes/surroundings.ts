import type {
  V1APIService,
  V1Ingress,
  V1MutatingWebhookConfiguration,
  V1PersistentVolume,
  V1ReplicationController,
  V1ResourceQuota,
  V1ValidatingWebhookConfiguration,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import type { AdopterFacts } from '../../core/model/adopter.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { ClusterFacts } from '../../core/model/serving.ts';
import type { UnreadFacts } from '../../core/model/unread.ts';
import type { Connection } from './connection.ts';
import { answerError, forbidden, statusOf } from './errors.ts';
import { autoscalerFacts, scaledBy } from './map-autoscaler.ts';
import { ingressBackends } from './map-ingress.ts';
import {
  type CiliumPolicy,
  ciliumPolicyFacts,
  type NetworkPolicyObject,
  networkPolicyFacts,
} from './map-network-policy.ts';
import { type Bindings, type BoundGroup, type NodeBinding, readBindings } from './map-pod-groups.ts';
import { type LimitRangeObject, limitRangeFacts, quotaFacts } from './map-quota.ts';
import {
  apiServiceFacts,
  type KarpenterNodePool,
  localVolumeFacts,
  nodePoolFacts,
  resizerFacts,
  type VerticalPodAutoscaler,
  webhookFacts,
} from './map-surroundings.ts';
import type { NodeBackend } from './node-backends.ts';
import type { ListBody } from './reflector.ts';
import { type ResourceName, rbacName, resources } from './resources.ts';

/** Resources that change rarely, and those that our role may not read. */
export type Surroundings = Required<
  Pick<
    ClusterFacts,
    | 'networkPolicies'
    | 'adopters'
    | 'autoscalers'
    | 'autoscaled'
    | 'quotas'
    | 'limitRanges'
    | 'localVolumes'
    | 'resizers'
    | 'webhooks'
    | 'apiServices'
    | 'managedNodes'
    | 'unread'
  >
> & {
  /** Target groups of pods that objects of the cluster bind to Services. */
  readonly boundGroups: readonly BoundGroup[];
  /** Services to which such objects bind target groups of nodes. */
  readonly nodeBindings: readonly NodeBinding[];
  /** Services behind Ingresses that may send to them through nodes. */
  readonly ingressBackends: readonly NodeBackend[];
};

/** Reads them. */
interface SurroundingsReader {
  /**
   * As they were at most `keptForMs` ago. A resource that we may not read is reported. When the API server fails, the last result is used. @throws
   * NodeferryError ClusterUnreachable when it fails before anything was read
   */
  read(): Promise<Surroundings>;
}

const pageSize = '500';

/** What is listed. */
const listed = [
  'networkPolicies',
  'ingresses',
  'ciliumNetworkPolicies',
  'ciliumClusterwideNetworkPolicies',
  'replicationControllers',
  'horizontalPodAutoscalers',
  'resourceQuotas',
  'limitRanges',
  'persistentVolumes',
  'verticalPodAutoscalers',
  'targetGroupBindings',
  'autoModeBindings',
  'validatingWebhookConfigurations',
  'mutatingWebhookConfigurations',
  'apiServices',
  'karpenterNodePools',
] as const satisfies readonly ResourceName[];

type ReadResource = (typeof listed)[number];

/** What is known of the bindings of each controller. */
type KnownBindings = Readonly<Record<'targetGroupBindings' | 'autoModeBindings', Bindings>>;

const noBindings: Bindings = { groups: [], nodes: [] };

/** Objects of a resource, or why there are none. */
interface Listed {
  readonly items: readonly object[];
  readonly unread?: UnreadFacts;
}

/** Creates the reader: plain lists, shared by all callers within `keptForMs`. */
export function createSurroundings(connection: Connection, keptForMs: number): SurroundingsReader {
  let known: Surroundings | undefined;
  let bindings: KnownBindings = { targetGroupBindings: noBindings, autoModeBindings: noBindings };
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function readAll(): Promise<void> {
    const startedAt = Date.now();
    try {
      const read = new Map(
        await Promise.all(
          listed.map(async (name): Promise<readonly [ReadResource, Listed]> => [name, await list(connection, name)]),
        ),
      );
      bindings = bindingsNow(read, bindings);
      const now = joinSurroundings(read, known, bindings);
      // An unchanged result stays the same object, so that observations share what was computed from it.
      if (JSON.stringify(now) !== JSON.stringify(known)) known = now;
    } catch (error) {
      if (known === undefined) throw error;
    }
    readAt = startedAt;
  }

  return {
    read: async () => {
      if (Date.now() - readAt >= keptForMs || known === undefined) {
        reading ??= readAll().finally(() => (reading = undefined));
        await reading;
      }
      if (known === undefined) throw new NodeferryError({ code: 'Internal', message: 'nothing was read' });
      return known;
    },
  };
}

/** Bindings that we may not read any more stay what they were: a run that knew of a target group would otherwise take it for gone. */
function bindingsNow(read: ReadonlyMap<ReadResource, Listed>, before: KnownBindings): KnownBindings {
  const now = (name: keyof KnownBindings) => {
    const { items = [], unread } = read.get(name) ?? {};
    return unread === undefined ? readBindings(items) : before[name];
  };
  return { targetGroupBindings: now('targetGroupBindings'), autoModeBindings: now('autoModeBindings') };
}

/** So do Ingresses. */
function joinSurroundings(
  read: ReadonlyMap<ReadResource, Listed>,
  before: Surroundings | undefined,
  bindings: KnownBindings,
): Surroundings {
  const items = (name: ReadResource) => read.get(name)?.items ?? [];
  return {
    networkPolicies: [
      ...items('networkPolicies').map((item) => networkPolicyFacts(item as NetworkPolicyObject)),
      ...[...items('ciliumNetworkPolicies'), ...items('ciliumClusterwideNetworkPolicies')].map((item) =>
        ciliumPolicyFacts(item as CiliumPolicy),
      ),
    ],
    adopters: items('replicationControllers').flatMap((item) => adopterFacts(item as V1ReplicationController)),
    autoscalers: items('horizontalPodAutoscalers').flatMap((item) =>
      autoscalerFacts(item as V2HorizontalPodAutoscaler),
    ),
    autoscaled: items('horizontalPodAutoscalers').flatMap((item) => scaledBy(item as V2HorizontalPodAutoscaler)),
    quotas: items('resourceQuotas').flatMap((item) => quotaFacts(item as V1ResourceQuota)),
    limitRanges: items('limitRanges').flatMap((item) => limitRangeFacts(item as LimitRangeObject)),
    localVolumes: items('persistentVolumes').flatMap((item) => localVolumeFacts(item as V1PersistentVolume)),
    resizers: items('verticalPodAutoscalers').flatMap((item) => resizerFacts(item as VerticalPodAutoscaler)),
    apiServices: items('apiServices').flatMap((item) => apiServiceFacts(item as V1APIService)),
    managedNodes: items('karpenterNodePools').map((item) => nodePoolFacts(item as KarpenterNodePool)),
    boundGroups: Object.values(bindings).flatMap(({ groups }) => groups),
    nodeBindings: Object.values(bindings).flatMap(({ nodes }) => nodes),
    ingressBackends:
      read.get('ingresses')?.unread === undefined
        ? items('ingresses').flatMap((item) => ingressBackends(item as V1Ingress))
        : (before?.ingressBackends ?? []),
    webhooks: [
      ...items('validatingWebhookConfigurations').flatMap((item) =>
        webhookFacts('ValidatingWebhookConfiguration', item as V1ValidatingWebhookConfiguration),
      ),
      ...items('mutatingWebhookConfigurations').flatMap((item) =>
        webhookFacts('MutatingWebhookConfiguration', item as V1MutatingWebhookConfiguration),
      ),
    ],
    unread: [...read.values()].flatMap(({ unread }) => unread ?? []),
  };
}

async function list(connection: Connection, resource: ReadResource): Promise<Listed> {
  const items: object[] = [];
  let page: ListBody | undefined;
  do {
    const query: Record<string, string> = { limit: pageSize };
    if (page?.metadata.continue) query['continue'] = page.metadata.continue;
    // Not through `request`, which would retry for seconds when the role does not allow it.
    const answer = await connection.send({ resource, verb: 'list', query });
    // The resource of an add-on that is not installed.
    if (answer.status === 404) return { items: [] };
    if (answer.status === 403) return { items: [], unread: explainUnread(resource, statusOf(answer).message ?? '') };
    if (answer.status !== 200) throw answerError(answer, { resource, verb: 'list' });
    page = answer.body as ListBody;
    items.push(...(page.items ?? []));
  } while (page.metadata.continue);
  return { items };
}

function explainUnread(resource: ReadResource, said: string): UnreadFacts {
  const { hint = '' } = forbidden({ resource, verb: 'list' }, said).problem;
  const { group } = resources[resource];
  return { resource: group === '' ? rbacName(resource) : `${rbacName(resource)}.${group}`, hint };
}

/** The API server fills in an absent selector (Kubernetes API, ReplicationControllerSpec). */
function adopterFacts({ metadata, spec }: V1ReplicationController): readonly AdopterFacts[] {
  const { namespace = '', name = '' } = metadata ?? {};
  if (spec?.selector === undefined) return [];
  return [{ key: `ReplicationController ${namespace}/${name}`, namespace, takes: { matchLabels: spec.selector } }];
}
