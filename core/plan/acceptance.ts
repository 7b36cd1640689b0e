import type { Policy } from '../policy/policy.ts';
import { listNames } from '../text/format.ts';
import type { Finding } from './finding.ts';

/** A rule whose findings the operator accepts, as the report records it. */
export interface AcceptedRule {
  readonly rule: string;
  readonly reason: string;
  /** What it found, in words; empty where it found nothing. */
  readonly found: readonly string[];
}

type Accepting = Pick<Policy, 'accept'>;

/**
 * Services that may lose connections because the policy accepts the rule of a blocker: those that it names now. One that appears later was not
 * accepted by anybody, nor was one that another rule names too, which is not accepted.
 */
export function acceptedServices(findings: readonly Finding[], { accept = {} }: Accepting): readonly string[] {
  const servicesOf = (isAccepted: boolean) =>
    findings.flatMap(({ rule, acceptableFor = [] }) =>
      Object.hasOwn(accept, rule) === isAccepted ? acceptableFor : [],
    );
  const refused = new Set(servicesOf(false));
  return [...new Set(servicesOf(true))].filter((service) => !refused.has(service));
}

/** The policy of a run that may lose connections of these Services too. */
export function withUnprotected<P extends Pick<Policy, 'guard'>>(policy: P, services: readonly string[]): P {
  const acceptUnprotected = [...new Set([...policy.guard.acceptUnprotected, ...services])];
  return { ...policy, guard: { ...policy.guard, acceptUnprotected } };
}

/** The findings of a plan, those of accepted rules with the reason. A blocker that is left is not accepted: the run can't go on with it. */
export function giveReasons(findings: readonly Finding[], { accept = {} }: Accepting): readonly Finding[] {
  return findings.map((finding) => (finding.severity === 'blocker' ? finding : giveReason(finding, accept)));
}

/** A finding of a plan or an audit, with the reason if its rule is accepted. `reasons`: by the ids of rules. */
export function giveReason<T extends Pick<Finding, 'rule' | 'accepted'>>(
  finding: T,
  reasons: Readonly<Record<string, string>>,
): T {
  const accepted = Object.hasOwn(reasons, finding.rule) ? reasons[finding.rule] : undefined;
  return accepted === undefined ? finding : { ...finding, accepted };
}

/** What was accepted, with what was found of it. */
export function recordAccepted(findings: readonly Finding[], { accept = {} }: Accepting): readonly AcceptedRule[] {
  return Object.entries(accept).map(([rule, reason]) => {
    const own = findings.filter((finding) => finding.rule === rule);
    return { rule, reason, found: own.map(({ subject, message }) => `${subject}: ${message}`) };
  });
}

/** An accepted rule on one line. */
export function describeAccepted({ rule, reason, found }: AcceptedRule): string {
  return `${rule} was accepted (${reason}): ${found.length === 0 ? 'nothing was found' : listNames(found, 5)}`;
}

/** What to do about blockers that accepting does not help with, or could. Empty where nothing is to be said about it. */
export function adviseAcceptance(blockers: readonly Finding[], { accept = {} }: Accepting): readonly string[] {
  const acceptable = rulesOf(blockers.filter(({ acceptableFor }) => acceptableFor !== undefined));
  const others = rulesOf(blockers.filter(({ acceptableFor }) => acceptableFor === undefined));
  return [
    ...others
      .filter((rule) => Object.hasOwn(accept, rule))
      .map((rule) => `Accepting ${rule} does not help: the run could not go on.`),
    ...acceptable.map((rule) => `Or accept the loss, with the reason: --accept ${rule}="…".`),
  ];
}

function rulesOf(findings: readonly Finding[]): readonly string[] {
  return [...new Set(findings.map(({ rule }) => rule))];
}
