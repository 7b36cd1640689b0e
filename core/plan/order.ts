import type { NodeFacts, NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import { compareText } from '../text/format.ts';
import type { ServicePlan } from './pool-plan.ts';

/**
 * The order in which nodes are excluded: first nodes that host no endpoint of a Local Service, because only their pods depend on them; then the
 * zones in rotation, so that nodes that may be out together come from different zones; finally by name.
 */
export function orderNodes(
  nodes: readonly NodeFacts[],
  facts: ServingFacts,
  services: readonly ServicePlan[],
): readonly NodeRef[] {
  const local = new Set(services.filter((plan) => plan.externalTrafficPolicy === 'Local').map((plan) => plan.service));
  const hosts = new Set(
    facts.cluster.services
      .filter((service) => local.has(service.key))
      .flatMap((service) => service.endpoints.map((endpoint) => endpoint.node)),
  );
  const turns = new Map<string, number>();
  return nodes
    .map((node) => ({ node, group: hosts.has(node.name) ? 1 : 0 }))
    .toSorted((a, b) => a.group - b.group || compareText(a.node.name, b.node.name))
    .map((entry) => {
      const key = `${entry.group} ${entry.node.zone}`;
      const turn = turns.get(key) ?? 0;
      turns.set(key, turn + 1);
      return { ...entry, turn };
    })
    .toSorted((a, b) => a.group - b.group || a.turn - b.turn || compareText(a.node.zone, b.node.zone))
    .map(({ node }) => ({ name: node.name, uid: node.uid, instanceId: node.instanceId, zone: node.zone }));
}
