import { balancedServices } from '../guard/serving.ts';
import type { NodeFacts } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import type { InstanceFacts } from '../model/pool.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import { listNames } from '../text/format.ts';
import type { WaitDecision } from './decision.ts';
import { targetsOf } from './load-balancers.ts';
import { takesNode } from './registration.ts';

/** What the new nodes are measured by. */
export interface SurgeQuestion {
  readonly facts: ServingFacts;
  /** Name of the new pool. */
  readonly pool: string;
  /** Name of the old one, whose nodes show which target groups take such nodes. */
  readonly oldPool: string;
  /** How many nodes it must have. */
  readonly expected: number;
  /** The new pool's machines, so that those which never become nodes can be named. */
  readonly instances?: readonly InstanceFacts[];
}

/** The new nodes can take pods when they are all there and Ready, and their DaemonSet pods are. */
export function decideNodesReady(question: SurgeQuestion): WaitDecision {
  const { ready, problems } = observeNodes(question);
  return decide(problems, `${ready.length} new nodes are Ready`);
}

/**
 * The new nodes are ready for traffic when they can take pods, and each is registered in every target
 * group that has the old ones of its zone. Under policy Local a registered node without a pod fails its health check, and that is as it should be; under Cluster it
 * must be healthy, unless no target of the group is: then the Service itself is down, and that is no fault of the new nodes.
 */
export function decideSurgeReady(question: SurgeQuestion): WaitDecision {
  const { ready, problems } = observeNodes(question);
  const { nodes } = question.facts.cluster;
  const old = nodes.filter(({ pool, excluded }) => pool === question.oldPool && !excluded);
  const peers = old.length > 0 ? old : ready;
  for (const { service, groups } of balancedServices(question.facts).values()) {
    for (const group of groups) {
      const isRegistered = registeredIn(group, service.externalTrafficPolicy);
      const late = ready.filter((node) => !isRegistered(node) && takesNode(node, group, peers));
      if (late.length > 0)
        problems.push(`${group.name} has not taken ${listNames(late.map((node) => describe(node, group)))}`);
    }
  }
  return decide(problems, `${ready.length} new nodes are Ready and registered`);
}

function decide(problems: readonly string[], done: string): WaitDecision {
  return problems.length === 0 ? { done: true, reason: done } : { done: false, reason: problems.join('; ') };
}

/** New nodes that are Ready, and what is missing of the others, in words. */
function observeNodes(question: SurgeQuestion): { readonly ready: readonly NodeFacts[]; readonly problems: string[] } {
  const nodes = question.facts.cluster.nodes.filter((node) => node.pool === question.pool);
  const ready = nodes.filter((node) => node.ready);
  const problems: string[] = [];
  if (ready.length < question.expected) {
    const late = nodes.filter((node) => !node.ready).map((node) => node.name);
    const names = late.length === 0 ? '' : `, not ready: ${listNames(late)}`;
    const unjoined = findUnjoined(question.instances ?? [], nodes);
    const instances = unjoined.length === 0 ? '' : `, not joined: ${listNames(unjoined)}`;
    problems.push(`${ready.length} of ${question.expected} new nodes are Ready${names}${instances}`);
  }
  const agents = findLateDaemonPods(question.facts.cluster.pods, ready);
  if (agents.length > 0) {
    problems.push(`DaemonSet pods not Ready: ${listNames(agents.map((pod) => `${pod.namespace}/${pod.name}`))}`);
  }
  return { ready, problems };
}

/** Machines that run, or are about to, and are no nodes of the cluster. */
function findUnjoined(instances: readonly InstanceFacts[], nodes: readonly NodeFacts[]): readonly string[] {
  const joined = new Set(nodes.map((node) => node.instanceId));
  return instances
    .filter(({ instanceId, state }) => (state === 'pending' || state === 'running') && !joined.has(instanceId))
    .map(({ instanceId }) => instanceId);
}

/** DaemonSet pods that are not Ready on new nodes, though others of their DaemonSet are Ready elsewhere: broken ones hold nobody up. */
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

/** Whether nodes are registered in the group as they should be. */
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
