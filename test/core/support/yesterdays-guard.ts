/** An earlier guard as a control: a test world in which it loses nothing proves nothing. */

import { type CandidateQuestion, selectCandidate } from '../../../core/guard/select-candidate.ts';
import { nameOfTarget } from '../../../core/model/target-group.ts';
import type { PoolPlan, ServicePlan } from '../../../core/plan/pool-plan.ts';
import type { NodeRef, ServiceFacts } from './model.ts';

/**
 * The first node without which the minimums that were fixed at the start still hold. A node that serves nothing of a Service at the moment is
 * never blocked by it.
 */
export function excludeAsBefore({ facts, inFlight, waiting }: CandidateQuestion, plan: PoolPlan): NodeRef | undefined {
  const out = new Set([
    ...inFlight.map((node) => node.name),
    ...facts.cluster.nodes.filter((node) => node.excluded).map((node) => node.name),
  ]);
  if (inFlight.length >= plan.policy.guard.maxInFlight) return undefined;
  const counted = plan.services.map((service) => ({ service, serving: servingOf(service, facts, out) }));
  return waiting.find((node) => counted.every(({ service, serving }) => keeps(service, serving, node)));
}

/** The guard as it was when it did not know that pods can be targets themselves. It does not wait until observations agree. */
export function forgetPodTargets(question: CandidateQuestion): NodeRef | undefined {
  const { facts } = question;
  const services = facts.cluster.services.map(({ podGroups: _forgotten, ...service }) => service);
  const stableSince = Object.fromEntries(question.waiting.map(({ name }) => [name, 0]));
  return selectCandidate({ ...question, facts: { ...facts, cluster: { ...facts.cluster, services } }, stableSince })
    .node;
}

function servingOf(plan: ServicePlan, facts: CandidateQuestion['facts'], out: ReadonlySet<string>) {
  const service = facts.cluster.services.find(({ key }) => key === plan.service);
  const groups = facts.targetGroups.filter((group) => group.service === plan.service);
  return facts.cluster.nodes
    .filter((node) => node.ready && !out.has(node.name))
    .filter((node) =>
      groups.every((group) =>
        group.targets.some((target) => nameOfTarget(target) === node.instanceId && target.state === 'healthy'),
      ),
    )
    .map((node) => ({ name: node.name, zone: node.zone, endpoints: readyOn(service, node.name) }))
    .filter(({ endpoints }) => plan.externalTrafficPolicy === 'Cluster' || endpoints > 0);
}

function readyOn(service: ServiceFacts | undefined, node: string): number {
  return (service?.endpoints ?? []).filter((endpoint) => endpoint.ready && endpoint.node === node).length;
}

function keeps(plan: ServicePlan, serving: ReturnType<typeof servingOf>, node: NodeRef): boolean {
  const own = serving.find(({ name }) => name === node.name);
  if (own === undefined) return true;
  const left = serving.filter((other) => other !== own);
  const zone = left.filter((other) => other.zone === own.zone).length;
  const endpoints = left.reduce((sum, other) => sum + other.endpoints, 0);
  return (
    left.length >= plan.minServing.targets &&
    zone >= (plan.minServing.perZone[own.zone] ?? 0) &&
    (plan.externalTrafficPolicy === 'Cluster' || endpoints >= plan.minServing.endpoints)
  );
}
