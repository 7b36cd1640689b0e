import { expect, test } from 'vitest';
import { elbTerms } from '../../../adapters/elb/cloud-terms.ts';
import { audit } from '../../../core/audit/audit.ts';
import { drainPolicy } from '../../../core/policy/drain-policy.ts';
import { probed } from '../support/audited-cluster.ts';
import { counted } from '../support/counted.ts';
import { aPolicy, nodeRefOf } from '../support/facts.ts';
import { aLargeObservation } from '../support/large-cluster.ts';

/** How often an audit of the whole cluster reads each node, pod, endpoint and target, on average. Each node has six pods. */
function readsPerPart(size: number): number {
  const facts = aLargeObservation({
    nodes: size,
    services: 10,
    replicas: 0.3 * size,
    budgets: 'each',
    otherPods: 3 * size,
    otherServices: size / 10,
    otherBudgets: size / 10,
  });
  // What rules read of pods that may be evicted.
  const pods = facts.cluster.pods.map((pod) => ({ ...pod, lifecycle: probed }));
  const { observation, readsPerPart: reads } = counted({ ...facts, cluster: { ...facts.cluster, pods } });
  const nodes = facts.cluster.nodes.map(nodeRefOf);
  const drain = { pool: 'all', nodes, terminate: false, deleteEmptyDirData: false, force: false };
  const { findings } = audit({
    facts: observation,
    policy: drainPolicy(aPolicy(), drain),
    nodes,
    terms: elbTerms,
    hasPolicy: false,
  });
  expect(findings.length).toBeGreaterThan(0);
  return reads();
}

test('an audit of 500 nodes and 3,000 pods reads everything a few times, as one of 100 nodes does', () => {
  const [few, many] = [readsPerPart(100), readsPerPart(500)];
  expect(many).toBeLessThan(100);
  expect(many).toBeLessThan(1.2 * few);
});
