import { expect } from 'vitest';
import { elbTerms } from '../../../adapters/elb/cloud-terms.ts';
import { type AuditFinding, type AuditReport, audit } from '../../../core/audit/audit.ts';
import type { CloudTerms } from '../../../core/audit/cloud-terms.ts';
import { formatObject } from '../../../core/audit/rule.ts';
import type { LifecycleFacts } from '../../../core/model/lifecycle.ts';
import type { Problem } from '../../../core/model/problem.ts';
import type { UnsupportedServiceFacts } from '../../../core/model/unsupported-service.ts';
import { drainPolicy } from '../../../core/policy/drain-policy.ts';
import { aBudget, aGroup, aNode, anObservation, aPolicy, aService, aWorkload, onePodOnEach } from './facts.ts';
import type { ClusterFacts, NodeFacts, PodFacts, ServiceFacts, TargetGroupFacts } from './model.ts';

/** What is different about a cluster that is sound otherwise. */
interface ClusterChanges {
  readonly nodes?: readonly NodeFacts[];
  readonly pods?: readonly PodFacts[];
  readonly service?: Partial<ServiceFacts>;
  readonly group?: Partial<TargetGroupFacts>;
  readonly cluster?: Partial<ClusterFacts>;
  /** All target groups, instead of that of `web`. */
  readonly groups?: readonly TargetGroupFacts[];
  /** Target groups beside that of `web`. */
  readonly more?: readonly TargetGroupFacts[];
  readonly unsupported?: readonly UnsupportedServiceFacts[];
  readonly loadBalancersUnread?: Problem;
  /** The only Service that is of interest. */
  readonly only?: string;
  /** Names of the nodes that are audited; all of them unless given. */
  readonly audited?: readonly string[];
  /** A policy of the operator with these changes. Absent for none. */
  readonly policy?: Parameters<typeof aPolicy>[0];
  /** Those of AWS unless given. */
  readonly terms?: CloudTerms;
}

const fourNodes = [aNode('n1'), aNode('n2'), aNode('n3', { zone: 'b' }), aNode('n4', { zone: 'b' })];

/** A container with a readiness probe. */
export const probed: LifecycleFacts = {
  containers: ['server'],
  readiness: { container: 'server', periodSeconds: 10, failureThreshold: 4 },
};

/** The template of such a pod. */
const template = { selector: { matchLabels: { app: 'web' } }, containers: ['server'] } as const;

/** A pod that may be evicted from a node behind a Network Load Balancer without losing connections. */
export const patient = { preStopSeconds: 75, terminationGracePeriodSeconds: 105, lifecycle: probed } as const;

/** A pod of `web` on each of the four nodes. */
export function webPods(changes: Partial<PodFacts> = {}): readonly PodFacts[] {
  return onePodOnEach('web', fourNodes, { ...patient, ...changes });
}

/** A health check of the group, changed. */
export function checkedBy(changes: Partial<TargetGroupFacts['healthCheck']>): Pick<TargetGroupFacts, 'healthCheck'> {
  return { healthCheck: { ...aGroup('web', []).healthCheck, ...changes } };
}

/** Four nodes in two zones that serve one Local Service behind a Network Load Balancer. */
export function auditOf({
  nodes = fourNodes,
  pods = webPods(),
  service,
  group,
  groups,
  cluster,
  more = [],
  unsupported = [],
  loadBalancersUnread,
  only,
  audited,
  policy,
  terms = elbTerms,
}: ClusterChanges = {}): AuditReport {
  const web = pods.filter(({ labels }) => labels['app'] === 'web');
  const quiet = { unhealthyLagMs: 40_000, terminatesUnhealthyConnections: false, followsService: 'in-place' } as const;
  const facts = anObservation(
    {
      nodes,
      pods,
      services: [aService('web', web, service)],
      budgets: [aBudget('web', web, web.length - 1)],
      workloads: [aWorkload('web', web.length, { ...template, minReadySeconds: 33, mayLack: 1 })],
      ...cluster,
    },
    unsupported.length > 0 ? [] : [...(groups ?? [aGroup('web', nodes, { ...quiet, ...group })]), ...more],
    unsupported,
  );
  const chosen = nodes.filter(({ name }) => audited?.includes(name) ?? true);
  const drain = { pool: 'all', nodes: chosen, terminate: false, deleteEmptyDirData: false, force: false };
  return audit({
    facts,
    policy: drainPolicy(aPolicy(policy), drain),
    hasPolicy: policy !== undefined,
    nodes: chosen,
    terms,
    ...(only === undefined ? {} : { service: only }),
    ...(loadBalancersUnread === undefined ? {} : { loadBalancersUnread }),
  });
}

/** What one rule finds. */
function foundBy(rule: string, changes: ClusterChanges): readonly AuditFinding[] {
  return auditOf(changes).findings.filter((finding) => finding.rule === rule);
}

/** A finding of a rule: what makes it, with a part of what it says, and what is just not enough for it. */
export interface RuleCase {
  readonly rule: string;
  readonly severity: AuditFinding['severity'];
  readonly what: string;
  readonly found: ClusterChanges;
  /** Part of the message, with the numbers. */
  readonly says: string;
  readonly object?: string;
  /** Part of the commands or the manifest of the fix. */
  readonly fix?: string;
  readonly boundary: ClusterChanges;
}

/** Holds a case. */
export function expectFinding({ rule, severity, found, says, object, fix = '', boundary }: RuleCase): void {
  const findings = foundBy(rule, found).filter((finding) => finding.severity === severity);
  const told = findings.map((one) => ({
    object: formatObject(one.object),
    message: one.message,
    fix: [one.fix.text, ...(one.fix.commands ?? []), one.fix.yaml ?? ''].join('\n'),
  }));
  expect(told).toContainEqual({
    object: object ?? expect.any(String),
    message: expect.stringContaining(says) as string,
    fix: expect.stringContaining(fix) as string,
  });
  expect(foundBy(rule, boundary).filter((finding) => finding.severity === severity)).toEqual([]);
}
