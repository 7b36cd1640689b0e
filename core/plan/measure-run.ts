import type { NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import { countWaves } from '../surge/at-once.ts';
import { bytesOf } from '../text/bytes.ts';
import { bytesPerEvent, eventsOf, maxCandidates, maxNodesToSurge, nodeBytes, type RunSize } from './limits.ts';
import type { PoolPlan } from './pool-plan.ts';

/**
 * What the upgrade will need: every node once, and pod surge for the given number of batches. An abort needs no more, because a new node stays
 * for each node that was replaced.
 */
export function measureRun(
  plan: Pick<PoolPlan, 'policy' | 'nodes' | 'services' | 'baselines'>,
  facts: ServingFacts,
  podSurges = 0,
): RunSize {
  const { policy, nodes, services, baselines } = plan;
  const nodeCount = Math.max(1, nodes.length);
  const refBytes = bytesOf(nodes) / nodeCount;
  const candidates = Math.min(maxCandidates, nodes.length) + Math.min(policy.guard.maxInFlight, nodes.length);
  const hosted = countHosted(nodes, facts) / nodeCount;
  const asked = bytesOf(policy) + bytesOf(baselines) + candidates * refBytes;
  const answered = nodeBytes.replacing + hosted * bytesPerName(facts);
  const started = answered + bytesOf(policy) + bytesOf(baselines);
  const perNode = asked + answered + started + nodeBytes.reported + eventsOf.perNode * bytesPerEvent;
  const fixedEvents = eventsOf.fixed + (policy.traffic.probes.length === 0 ? 0 : eventsOf.watched);
  const planBytes = bytesOf({ policy, nodes, services, baselines });
  const waves = countWaves(policy, nodes.length);
  // The first pod surge of each wave of new nodes is included in the figure of that wave.
  const podSurgeEvents = Math.max(0, podSurges - waves) * eventsOf.perPodSurge;
  const named = Math.min(maxNodesToSurge(policy), nodes.length) * refBytes;
  const surged = podSurges * (bytesOf(policy) + named) + podSurgeEvents * bytesPerEvent;
  return {
    events: fixedEvents + nodes.length * eventsOf.perNode + (waves - 1) * eventsOf.perWave + podSurgeEvents,
    historyBytes: Math.round(
      planBytes + nodes.length * (perNode + 2 * refBytes) + surged + fixedEvents * bytesPerEvent,
    ),
    payloadBytes: Math.round(Math.max(planBytes, nodes.length * (nodeBytes.reported + refBytes))),
  };
}

/** Pairs of a node and a Service that has endpoints on it. */
function countHosted(nodes: readonly NodeRef[], { cluster }: ServingFacts): number {
  const names = new Set(nodes.map((node) => node.name));
  return cluster.services.reduce((sum, { endpoints }) => {
    const hosts = new Set(endpoints.map(({ node }) => node).filter((node) => node !== undefined && names.has(node)));
    return sum + hosts.size;
  }, 0);
}

/** A Service's key with a figure, twice: what it served, and that the node carries it. */
function bytesPerName({ cluster }: ServingFacts): number {
  const longest = cluster.services.reduce((most, { key }) => Math.max(most, key.length), 20);
  return 2 * longest + 12;
}
