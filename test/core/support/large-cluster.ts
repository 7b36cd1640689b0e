import type { DisruptionBudgetFacts } from '../../../core/model/pod.ts';
import type { TargetFacts } from '../../../core/model/target-group.ts';
import { aBudget, aGroup, aNode, anObservation, aPod, aService, aTarget, aWorkload, endpointOf } from './facts.ts';
import type { NodeFacts, PodFacts, ServiceFacts, ServingFacts } from './model.ts';

/** A cluster of any size, and how its Services lie on its nodes. */
export interface LargeShape {
  readonly nodes: number;
  readonly services: number;
  /** Pods of each Service, spread evenly over the nodes. */
  readonly replicas: number;
  readonly traffic?: ServiceFacts['externalTrafficPolicy'];
  readonly crossZone?: boolean;
  /**
   * Budgets over the pods of the Services: none, one for each Service, one for ten Services together, or one for each Service that spares
   * a single pod.
   */
  readonly budgets?: 'none' | 'each' | 'shared' | 'tight';
  /** Budgets of workloads behind no load balancer, over ten pods each. */
  readonly otherBudgets?: number;
  /** Pods behind no load balancer. */
  readonly otherPods?: number;
  /** Services inside the cluster, over ten pods each. */
  readonly otherServices?: number;
  /** Load balancers send to the pods of the Services themselves. */
  readonly podTargets?: boolean;
  /** Namespaces that the Services are spread over. */
  readonly namespaces?: number;
}

const zones = ['a', 'b', 'c'];

/** Pool `web` of that shape, everything healthy. */
export function aLargeObservation(shape: LargeShape): ServingFacts {
  const { traffic = 'Local', crossZone = true, budgets = 'none', namespaces = 1 } = shape;
  const nodes = Array.from({ length: shape.nodes }, (_, index) =>
    aNode(`ip-10-${index >> 8}-${index & 255}.eu-west-1.compute.internal`, {
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      instanceId: `i-${String(index).padStart(17, '0')}`,
      zone: zones[index % zones.length] ?? 'a',
    }),
  );
  let placed = 0;
  const place = () => nodes[placed++ % nodes.length]?.name;
  const apps = Array.from({ length: shape.services }, (_, index) =>
    anApp(`app${index}`, `ns${index % namespaces}`, shape.replicas, place),
  );
  const others = Array.from(
    { length: Math.max(shape.otherServices ?? 0, shape.otherBudgets ?? 0, Math.ceil((shape.otherPods ?? 0) / 10)) },
    (_, index) => anApp(`other${index}`, `ns${index % namespaces}`, 10, place),
  );
  const services = [
    ...apps.map((app) => aBalanced(app, traffic)),
    ...others
      .slice(0, shape.otherServices ?? 0)
      .map((app) => ({ ...aBalanced(app, 'Cluster'), type: 'ClusterIP' as const })),
  ];
  const groups = apps.map(({ app, namespace, pods }) =>
    aGroup(app, nodes, {
      ...(shape.podTargets === true
        ? { targets: pods.map(podTarget), membership: 'pods' as const }
        : { targets: targetsOf(nodes, traffic === 'Local' ? pods : undefined) }),
      id: `arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/k8s-${app}/0123456789abcdef`,
      service: `${namespace}/${app}`,
      crossZone,
    }),
  );
  return anObservation(
    {
      ...(shape.podTargets === true && { podTargets: groups }),
      nodes,
      pods: [...apps, ...others].flatMap(({ pods }) => pods),
      services,
      budgets: [
        ...budgetsOver(apps, budgets),
        ...others.slice(0, shape.otherBudgets ?? 0).map((app) => budgetOver(`${app.app}`, [app], 1)),
      ],
      workloads: [...apps, ...others].map(({ app, namespace, pods }) => ({
        ...aWorkload(app, pods.length, { namespace, key: `Deployment ${namespace}/${app}` }),
      })),
    },
    groups,
  );
}

/** Every node is registered; where only pods of its own answer, those without are unhealthy. */
function targetsOf(nodes: readonly NodeFacts[], answering: readonly PodFacts[] | undefined): readonly TargetFacts[] {
  const hosts = new Set(answering?.map(({ node }) => node));
  return nodes.map((node) =>
    aTarget(node, { state: answering === undefined || hosts.has(node.name) ? 'healthy' : 'unhealthy' }),
  );
}

function podTarget({ ips = [] }: PodFacts): TargetFacts {
  return { kind: 'pod', ip: ips[0] ?? '', port: 8080, zone: undefined, state: 'healthy' };
}

interface App {
  readonly app: string;
  readonly namespace: string;
  readonly pods: readonly PodFacts[];
}

function anApp(app: string, namespace: string, replicas: number, place: () => string | undefined): App {
  const pods = Array.from({ length: replicas }, (_, index) =>
    aPod(`${app}-${index}`, place(), {
      namespace,
      workload: `Deployment ${namespace}/${app}`,
      ips: [`${namespace}/${app}/${index}`],
    }),
  );
  return { app, namespace, pods };
}

/** Its endpoints are told, not found by the selector: among fifty thousand pods that would take long. */
function aBalanced({ app, namespace, pods }: App, traffic: ServiceFacts['externalTrafficPolicy']): ServiceFacts {
  return aService(app, [], {
    key: `${namespace}/${app}`,
    externalTrafficPolicy: traffic,
    endpoints: pods.map(endpointOf),
  });
}

function budgetsOver(apps: readonly App[], how: NonNullable<LargeShape['budgets']>): readonly DisruptionBudgetFacts[] {
  if (how === 'none') return [];
  if (how !== 'shared') {
    return apps.map((app) => budgetOver(app.app, [app], how === 'tight' ? 1 : Math.ceil(app.pods.length / 4)));
  }
  const groups = [...Map.groupBy(apps, (app) => app.namespace).values()].flatMap((members) =>
    Array.from({ length: Math.ceil(members.length / 10) }, (_, index) => members.slice(index * 10, index * 10 + 10)),
  );
  return groups.map((members, index) =>
    budgetOver(`shared${index}`, members, Math.ceil(members.flatMap(({ pods }) => pods).length / 4)),
  );
}

function budgetOver(name: string, members: readonly App[], spared: number): DisruptionBudgetFacts {
  const pods = members.flatMap((app) => app.pods);
  return { ...aBudget(name, pods, Math.max(0, pods.length - spared)), namespace: members[0]?.namespace ?? '' };
}
