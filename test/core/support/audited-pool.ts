import { expect } from 'vitest';
import type { NetworkPolicyFacts } from '../../../core/model/network-policy.ts';
import type { SpreadFacts } from '../../../core/model/pod.ts';
import type { PoolFacts } from '../../../core/model/pool.ts';
import type { Finding } from '../../../core/plan/finding.ts';
import { aBudget, aGroup, aNode, anObservation, aPod, aPool, aService, withWaits } from './facts.ts';
import type { ClusterFacts, NodeFacts, PodFacts, Policy, ServiceFacts, TargetGroupFacts } from './model.ts';
import { nodes as fourNodes, pods as onEach, planFor } from './scene.ts';

/** What is different about a pool that is sound otherwise. */
interface Changes {
  readonly nodes?: readonly NodeFacts[];
  readonly pods?: readonly PodFacts[];
  readonly service?: Partial<ServiceFacts>;
  readonly group?: Partial<TargetGroupFacts> | 'none';
  readonly cluster?: Partial<ClusterFacts>;
  readonly pool?: Partial<PoolFacts>;
  readonly policy?: Partial<Policy>;
}

/** All pods on one node. */
export const n1Only = [aPod('web-1', 'n1'), aPod('web-2', 'n1')];

/** Five pods on four nodes, kept apart by host. */
export const spreadOverHosts = (changes: Partial<SpreadFacts>): readonly PodFacts[] => {
  const spread = { topologyKey: 'kubernetes.io/hostname', maxSkew: 1, isRequired: true, countsReleased: true };
  const spreads = [{ ...spread, countsCordoned: true, ...changes }];
  return [...onEach, aPod('web-5', 'n1')].map((pod) => ({ ...pod, ownerUid: 'rs', spreads }));
};
export const aged = withWaits({ maxConnectionAgeMs: { '*': 60_000 } });

export const unreadPolicies = { resource: 'networkpolicies.networking.k8s.io', hint: 'Add a rule.' };

/** A policy that selects pods by label `app`. */
export function byApp(app: string): NetworkPolicyFacts {
  return { key: 'NetworkPolicy default/web', selectors: [{ labels: { matchLabels: { app } } }] };
}

/** Findings for four nodes in two zones that serve one Local Service with a budget that spares one: sound unless changed. */
export function audit({
  nodes = fourNodes,
  pods = onEach,
  service,
  group,
  cluster,
  pool,
  policy,
}: Changes = {}): readonly Finding[] {
  const web = pods.filter((pod) => pod.labels['app'] === 'web');
  const services = [aService('web', web, service)];
  const old = nodes.filter((node) => node.pool === 'web');
  const groups = group === 'none' ? [] : [aGroup('web', old, group)];
  const facts = anObservation(
    { nodes, pods, services, budgets: [aBudget('web', web, web.length - 1)], ...cluster },
    groups,
  );
  return planFor(facts, policy, aPool(old, pool)).findings;
}

/** One pod more than those of `web`. */
export const extra = (changes: Partial<PodFacts>) => [...onEach, aPod('extra-1', 'n1', changes)];
/** A pod of a DaemonSet behind the Service. */
export const agent = (changes: Partial<PodFacts> = {}) =>
  extra({ ownerKind: 'DaemonSet', ownerName: 'agent', labels: { app: 'web' }, ...changes });

/** A claim whose volume is bound to its node. */
export const onNode = (volumeClaim: string) => ({
  volumeClaim: `default/${volumeClaim}`,
  volume: `pv-${volumeClaim}`,
  boundBy: 'kubernetes.io/hostname',
});

/** A webhook that fails closed, and whose only pod is on that node. */
export function hookOn(node: string): Changes {
  const pod = aPod('hook-1', node, { ownerKind: 'StatefulSet' });
  const hook = aService('hook', [pod], { type: 'ClusterIP', externalTrafficPolicy: 'Cluster' });
  return {
    nodes: [...fourNodes, aNode('x', { pool: 'other' })],
    pods: [...onEach, pod],
    cluster: {
      services: [aService('web', onEach), hook],
      webhooks: [{ key: 'ValidatingWebhookConfiguration p, webhook p', service: 'default/hook' }],
    },
  };
}

/** A finding of a rule: with what it is made, and with what it is not. */
export type AuditCase = readonly [rule: string, severity: string, what: string, found: Changes, sound: Changes];

/** Holds a case: the rule finds what it is about, and nothing where all is sound. */
export function expectCase([rule, severity, , found, sound]: AuditCase): void {
  const findings = audit(found).filter((finding) => finding.rule === rule);
  expect(findings.map((finding) => finding.severity)).toContain(severity);
  for (const finding of findings) {
    expect(finding.message).not.toBe('');
    expect(finding.hint).not.toBe('');
  }
  const others = audit(sound).filter((finding) => finding.rule === rule && finding.severity === severity);
  expect(others).toEqual([]);
}
