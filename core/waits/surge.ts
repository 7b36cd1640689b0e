import { balancedServices } from '../guard/serving.ts';
import type { NodeFacts } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import type { InstanceFacts } from '../model/pool.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import { targetsOf } from '../model/targets-of.ts';
import { type MemberPolicy, newNodes, oldNodes } from '../policy/members.ts';
import { listNames } from '../text/format.ts';
import type { WaitDecision } from './decision.ts';
import { takesNode } from './registration.ts';
import { findUnjoined } from './unjoined.ts';

/** What decides whether the new nodes are ready. */
interface SurgeQuestion {
  readonly facts: ServingFacts;
  /** The nodes that the run replaces show which target groups register such nodes. */
  readonly policy: MemberPolicy;
  /** How many nodes must be there. */
  readonly expected: number;
  /**
   * Only in a rollback, where the old pool gets nodes again: IDs of instances that are no part of what is expected, because they have been there all
   * along. They show, too, which target groups register such nodes.
   */
  readonly besides?: readonly string[];
  /** Instances of the new pool, so that the message can name those that have not joined. */
  readonly instances?: readonly InstanceFacts[];
}

/** The new nodes can run pods when all of them have joined and are Ready, and their DaemonSet pods are Ready. */
export function decideNodesReady(question: SurgeQuestion): WaitDecision {
  const { ready, problems } = observeNodes(question);
  return decide(problems, `${ready.length} ${nounOf(question)} are Ready`);
}

/**
 * The new nodes are ready for traffic when they can run pods, and each is registered in every target group that has the old nodes in its zone.
 * With policy Local it is normal that a registered node without a pod fails its health check. With policy Cluster the node must be healthy,
 * unless no target of the group is healthy: then the Service itself is down, and the new nodes are not the cause. Groups that do not have
 * every node as a target are waited for only once a node hosts an endpoint, or not at all; see takesNode.
 */
export function decideNodesRegistered(question: SurgeQuestion): WaitDecision {
  const { ready, problems } = observeNodes(question);
  const old = othersIn(question).filter(({ excluded }) => !excluded);
  const peers = old.length > 0 ? old : ready;
  for (const { service, groups } of balancedServices(question.facts).values()) {
    for (const group of groups) {
      const isRegistered = registeredIn(group, service.externalTrafficPolicy);
      const late = ready.filter((node) => !isRegistered(node) && takesNode(node, group, peers, question.facts.cluster));
      if (late.length > 0)
        problems.push(`${group.name} has not registered ${listNames(late.map((node) => describe(node, group)))}`);
    }
  }
  return decide(problems, `${ready.length} ${nounOf(question)} are Ready and registered`);
}

function decide(problems: readonly string[], done: string): WaitDecision {
  return problems.length === 0 ? { done: true, reason: done } : { done: false, reason: problems.join('; ') };
}

/** The nodes that a question is about. */
export function newNodesIn({ facts: { cluster }, policy, besides }: SurgeQuestion): readonly NodeFacts[] {
  if (besides === undefined) return newNodes(cluster, policy);
  return oldNodes(cluster, policy).filter(({ instanceId }) => !besides.includes(instanceId));
}

/** The nodes that serve while the others come. */
function othersIn({ facts: { cluster }, policy, besides }: SurgeQuestion): readonly NodeFacts[] {
  if (besides === undefined) return oldNodes(cluster, policy);
  const stayed = oldNodes(cluster, policy).filter(({ instanceId }) => besides.includes(instanceId));
  return [...newNodes(cluster, policy), ...stayed];
}

function nounOf({ policy, besides }: SurgeQuestion): string {
  return besides === undefined ? 'new nodes' : `new nodes of ${policy.pool.name}`;
}

/** The new nodes that are Ready, and a description of what the others lack. */
function observeNodes(question: SurgeQuestion): { readonly ready: readonly NodeFacts[]; readonly problems: string[] } {
  const nodes = newNodesIn(question);
  const ready = nodes.filter((node) => node.ready);
  const problems: string[] = [];
  if (ready.length < question.expected) {
    const late = nodes.filter((node) => !node.ready).map((node) => node.name);
    const names = late.length === 0 ? '' : `, not ready: ${listNames(late)}`;
    const { instances: all = [], besides = [] } = question;
    const expected = all.filter(({ instanceId }) => !besides.includes(instanceId));
    const unjoined = findUnjoined({ instances: expected }, nodes);
    const instances = unjoined.length === 0 ? '' : `, not joined: ${listNames(unjoined)}`;
    problems.push(`${ready.length} of ${question.expected} ${nounOf(question)} are Ready${names}${instances}`);
  }
  const agents = findLateDaemonPods(question.facts.cluster.pods, ready);
  if (agents.length > 0) {
    problems.push(`DaemonSet pods not Ready: ${listNames(agents.map((pod) => `${pod.namespace}/${pod.name}`))}`);
  }
  return { ready, problems };
}

/** DaemonSet pods that are not Ready on new nodes. A DaemonSet without a Ready pod on any other node is broken, and is not waited for. */
function findLateDaemonPods(pods: readonly PodFacts[], nodes: readonly NodeFacts[]): readonly PodFacts[] {
  const names = new Set(nodes.map((node) => node.name));
  const isNew = (pod: PodFacts): boolean => pod.node !== undefined && names.has(pod.node);
  const agents = pods.filter((pod) => pod.ownerKind === 'DaemonSet');
  const working = new Set(agents.filter((pod) => pod.ready && !isNew(pod)).map(daemonSetOf));
  return agents.filter((pod) => isNew(pod) && !pod.ready && !pod.terminating && working.has(daemonSetOf(pod)));
}

function daemonSetOf(pod: PodFacts): string {
  return `${pod.namespace}/${pod.ownerName}`;
}

/** Returns a function that says whether a node is registered in the group with an acceptable state. */
function registeredIn(group: TargetGroupFacts, policy: 'Local' | 'Cluster'): (node: NodeFacts) => boolean {
  const mayFail = policy === 'Local' || !group.targets.some((target) => target.state === 'healthy');
  const accepted = mayFail ? ['healthy', 'unhealthy', 'unhealthy.draining', 'unavailable'] : ['healthy', 'unavailable'];
  return (node) => {
    const targets = targetsOf(node, group);
    return targets.length > 0 && targets.every((target) => accepted.includes(target.state));
  };
}

function describe(node: NodeFacts, group: TargetGroupFacts): string {
  const states = targetsOf(node, group).map((target) => target.state);
  return `${node.name} (${states.length === 0 ? 'not registered' : states.join(', ')})`;
}
