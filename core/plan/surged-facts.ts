import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import type { DisruptionBudgetFacts, PodFacts } from '../model/pod.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import { instanceTargets } from '../model/targets-of.ts';
import type { PodSurgeContext } from '../pod-surge/rules/rule.ts';
import { selectReleases } from '../pod-surge/select-releases.ts';

/** Nodes whose pods are surged, as far as their workloads allow it. */
interface SurgedFactsQuestion extends Omit<PodSurgeContext, 'cluster'> {
  readonly facts: ServingFacts;
  readonly batch: readonly NodeRef[];
}

/**
 * The observation as it would be once the pods of a batch have been surged: for each of its nodes there is a new one in the same zone, with a
 * Ready replacement of every pod that can be released, healthy in the load balancers that check nodes for pods. Under policy Cluster new nodes
 * serve anyway, and the caller takes that into account.
 */
export function surgedFacts(question: SurgedFactsQuestion): ServingFacts {
  const { facts, batch } = question;
  const { cluster } = facts;
  const candidates = batch.flatMap(({ name }) => indexOf(cluster).podsOn(name));
  const released = selectReleases(candidates, { ...question, cluster }, new Map(), facts.observedAt).release.map(
    ({ pod }) => pod,
  );
  if (released.length === 0) return facts;
  const twins = new Map(released.map((pod) => [pod.uid, twinOf(pod)]));
  const nodes = batch.flatMap(({ name }) => indexOf(cluster).nodes.get(name) ?? []);
  const added = {
    nodes: [
      ...cluster.nodes,
      ...nodes.map((node) => ({ ...node, ...twinNode(node), pool: question.policy.target.poolName })),
    ],
    pods: [...cluster.pods, ...twins.values()],
    services: cluster.services.map((service) => withTwins(service, twins)),
    budgets: cluster.budgets.map((budget) => coverTwins(budget, twins)),
  };
  const local = new Set(
    cluster.services.filter(({ externalTrafficPolicy }) => externalTrafficPolicy === 'Local').map(({ key }) => key),
  );
  const hosts = new Set(released.map(({ node }) => node));
  const targetGroups = facts.targetGroups.map((group) =>
    local.has(group.service)
      ? register(
          group,
          nodes.filter(({ name }) => hosts.has(name)),
        )
      : group,
  );
  return { ...facts, cluster: { ...cluster, ...added }, targetGroups };
}

function twinName(name: string): string {
  return `${name} (new)`;
}

function twinNode({ name, uid, instanceId }: NodeFacts): Pick<NodeFacts, 'name' | 'uid' | 'instanceId'> {
  return { name: twinName(name), uid: twinName(uid), instanceId: twinName(instanceId) };
}

function twinOf(pod: PodFacts): PodFacts {
  return { ...pod, name: twinName(pod.name), uid: twinName(pod.uid), node: twinName(pod.node ?? '') };
}

function withTwins(service: ServiceFacts, twins: ReadonlyMap<string, PodFacts>): ServiceFacts {
  const added = service.endpoints.flatMap((endpoint) => {
    const twin = twins.get(endpoint.podUid ?? '');
    return twin === undefined ? [] : [{ ...endpoint, podUid: twin.uid, podName: twin.name, node: twin.node }];
  });
  return added.length === 0 ? service : { ...service, endpoints: [...service.endpoints, ...added] };
}

function coverTwins(budget: DisruptionBudgetFacts, twins: ReadonlyMap<string, PodFacts>): DisruptionBudgetFacts {
  const added = budget.podUids.flatMap((uid) => twins.get(uid)?.uid ?? []);
  if (added.length === 0) return budget;
  return {
    ...budget,
    podUids: [...budget.podUids, ...added],
    currentHealthy: budget.currentHealthy + added.length,
    disruptionsAllowed: budget.disruptionsAllowed + added.length,
  };
}

/** The new node has the same state in a target group as the old one. */
function register(group: TargetGroupFacts, nodes: readonly NodeFacts[]): TargetGroupFacts {
  const byInstance = new Map(nodes.map((node) => [node.instanceId, node]));
  const added = instanceTargets(group).flatMap((target) => {
    const node = byInstance.get(target.instanceId);
    return node === undefined ? [] : [{ ...target, instanceId: twinNode(node).instanceId }];
  });
  return added.length === 0 ? group : { ...group, targets: [...group.targets, ...added] };
}
