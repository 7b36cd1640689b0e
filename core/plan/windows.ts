import { nextStepOut } from '../guard/next-step-out.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import type { ServicePlan } from './pool-plan.ts';

/** The nodes to replace and what guards them. */
export interface WindowsInput {
  readonly facts: ServingFacts;
  readonly services: readonly ServicePlan[];
  /** Nodes to replace, in order. */
  readonly nodes: readonly NodeRef[];
  readonly maxInFlight: number;
  /** False when the rule `capacity-guard` is switched off. */
  readonly enabled: boolean;
}

/** Which nodes the guard lets out together when everything in between goes as well as it can. */
export interface Windows {
  readonly windows: readonly (readonly NodeRef[])[];
  /** Nodes that the guard never lets out, and why; empty when the run is possible. */
  readonly stuck: readonly NodeRef[];
  readonly reason: string | undefined;
}

/**
 * Plays the run with perfect progress: the guard grants until it stops, then everybody in the window is replaced by a new node in the
 * same zone that takes over the pods, and so on.
 */
export function simulateWindows(input: WindowsInput): Windows {
  let facts = addSurge(input);
  let waiting = input.nodes;
  const windows: (readonly NodeRef[])[] = [];
  while (waiting.length > 0) {
    const window: NodeRef[] = [];
    let answer = ask(input, facts, window, waiting);
    while (answer.node !== undefined) {
      window.push(answer.node);
      answer = ask(input, facts, window, waiting);
    }
    if (window.length === 0) return { windows, stuck: waiting, reason: answer.reason };
    const gone = new Set(window.map((node) => node.name));
    waiting = waiting.filter((node) => !gone.has(node.name));
    facts = replace(facts, gone);
    windows.push(window);
  }
  return { windows, stuck: [], reason: undefined };
}

function ask(input: WindowsInput, facts: ServingFacts, inFlight: readonly NodeRef[], waiting: readonly NodeRef[]) {
  const { services, maxInFlight, enabled } = input;
  return nextStepOut({ facts, services, inFlight, waiting, maxInFlight, enabled });
}

const surgeOf = (name: string): string => `replacement of ${name}`;

function addSurge({ facts, nodes, services }: WindowsInput): ServingFacts {
  const fresh = nodes.map(
    (node): NodeFacts => ({
      name: surgeOf(node.name),
      uid: surgeOf(node.uid),
      instanceId: surgeOf(node.instanceId),
      zone: node.zone,
      pool: undefined,
      kubeletVersion: '',
      ready: true,
      cordoned: false,
      excluded: false,
      marks: {},
      labels: {},
      taints: [],
    }),
  );
  const planned = new Set(services.map((service) => service.service));
  return {
    ...facts,
    cluster: { ...facts.cluster, nodes: [...facts.cluster.nodes, ...fresh] },
    targetGroups: facts.targetGroups.map((group) => (planned.has(group.service) ? register(group, fresh) : group)),
  };
}

/** Whether a target of policy Local serves is left to the endpoints: with perfect knowledge its health follows them at once. */
function register(group: TargetGroupFacts, nodes: readonly NodeFacts[]): TargetGroupFacts {
  const port = group.targets[0]?.port ?? 0;
  const targets = nodes.map(({ instanceId, zone }) => ({ instanceId, port, zone, state: 'healthy' }) as const);
  return { ...group, targets: [...group.targets, ...targets] };
}

function replace(facts: ServingFacts, gone: ReadonlySet<string>): ServingFacts {
  const instances = new Set(facts.cluster.nodes.filter((node) => gone.has(node.name)).map((node) => node.instanceId));
  const move = (node: string | undefined): string | undefined =>
    node !== undefined && gone.has(node) ? surgeOf(node) : node;
  const services = facts.cluster.services.map(
    (service): ServiceFacts => ({
      ...service,
      endpoints: service.endpoints.map((endpoint) => ({ ...endpoint, node: move(endpoint.node) })),
    }),
  );
  return {
    ...facts,
    cluster: { ...facts.cluster, services, nodes: facts.cluster.nodes.filter((node) => !gone.has(node.name)) },
    targetGroups: facts.targetGroups.map((group) => ({
      ...group,
      targets: group.targets.filter((target) => !instances.has(target.instanceId)),
    })),
  };
}
