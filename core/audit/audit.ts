import { learnBaselines } from '../guard/baseline.ts';
import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { Problem } from '../model/problem.ts';
import type { ServingFacts } from '../model/serving.ts';
import { giveReason } from '../plan/acceptance.ts';
import { severities } from '../plan/finding.ts';
import { planServices } from '../plan/service-plan.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText } from '../text/format.ts';
import type { CloudTerms } from './cloud-terms.ts';
import { fixAtSource } from './from-source.ts';
import { type AuditQuestion, formatObject, type Violation } from './rule.ts';
import { rules } from './rules.ts';
import { belongsTo } from './scope.ts';

/** What was found at one object by one rule. */
export interface AuditFinding extends Violation {
  readonly rule: string;
}

/** Something that could not be read, and what was not checked because of that. */
interface Unread {
  readonly what: string;
  readonly problem: Problem;
  /** Ids of the rules that were left out. */
  readonly rules: readonly string[];
}

/** The result of an audit. */
export interface AuditReport {
  /** Name of the cluster. */
  readonly cluster: string;
  /** How many nodes were audited. */
  readonly nodes: number;
  /** How many Services of type LoadBalancer have endpoints on them. */
  readonly services: number;
  /** The most severe first, then in the order of rules and objects. */
  readonly findings: readonly AuditFinding[];
  readonly unread: readonly Unread[];
}

/** What an audit is made from. */
interface AuditSubject {
  readonly facts: ServingFacts;
  /** That of the operator, or the defaults, with the nodes that are audited as its selection. */
  readonly policy: Policy;
  readonly hasPolicy: boolean;
  readonly nodes: readonly NodeRef[];
  readonly terms: CloudTerms;
  /** Only what has to do with this Service (`namespace/name`). Absent for everything. */
  readonly service?: string;
  /** Why the load balancers could not be read. Absent when they were. */
  readonly loadBalancersUnread?: Problem;
}

/** Applies every rule that the facts suffice for. The same facts give the same report, in whatever order they come. */
export function audit(subject: AuditSubject): AuditReport {
  const { facts, policy, hasPolicy, nodes, terms, loadBalancersUnread } = subject;
  const baselines = learnBaselines([], facts, policy);
  const services = planServices(facts, policy, baselines);
  const asked = { policy, facts, services, baselines, nodes, terms, includesUnobserved: true };
  const question: AuditQuestion = { ...asked, hasPolicy, podSurge: [], surged: facts };
  const left = loadBalancersUnread === undefined ? [] : rules.filter((rule) => rule.needsLoadBalancers === true);
  const found = rules
    .filter((rule) => !left.includes(rule))
    .flatMap(({ id, check }) =>
      check(question).map((violation): AuditFinding => ({ rule: id, ...fixAtSource(violation, facts.cluster) })),
    );
  const names = new Set(nodes.map(({ name }) => name));
  return {
    cluster: policy.cluster.name,
    nodes: nodes.length,
    services: facts.cluster.services.filter(
      ({ type, endpoints }) =>
        type === 'LoadBalancer' && endpoints.some(({ node }) => node !== undefined && names.has(node)),
    ).length,
    findings: found.filter(isAskedFor(subject)).toSorted(compareFindings),
    unread:
      loadBalancersUnread === undefined
        ? []
        : [{ what: 'load balancers', problem: loadBalancersUnread, rules: left.map(({ id }) => id) }],
  };
}

function isAskedFor({ service: key, facts: { cluster } }: AuditSubject): (finding: AuditFinding) => boolean {
  const service = key === undefined ? undefined : indexOf(cluster).service(key);
  if (service === undefined) return () => true;
  return belongsTo(service, cluster);
}

function compareFindings(a: AuditFinding, b: AuditFinding): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    compareText(a.rule, b.rule) ||
    compareText(formatObject(a.object), formatObject(b.object)) ||
    compareText(a.message, b.message)
  );
}

/** The same audit, with the reasons why findings of these rules are accepted, by their ids. */
export function acceptRules(report: AuditReport, reasons: Readonly<Record<string, string>>): AuditReport {
  return { ...report, findings: report.findings.map((finding) => giveReason(finding, reasons)) };
}

/** Whether there is anything that should be fixed before nodes are replaced, and that nobody has accepted. */
export function needsFix({ findings }: AuditReport): boolean {
  return findings.some((finding) => finding.accepted === undefined && isSevere(finding));
}

/** Whether nodes should not be replaced before this is fixed. */
export function isSevere({ severity }: Pick<AuditFinding, 'severity'>): boolean {
  return severity === 'blocker' || severity === 'error';
}
