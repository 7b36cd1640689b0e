import { indexOf, namespaceOf, onceFor } from '../model/cluster-index.ts';
import { isReadyEndpoint, podsOf, readyOtherThan, selects, servicesOf } from '../model/endpoints.ts';
import { type DisruptionBudgetFacts, isActive, isFinished, type PodFacts, podRefOf } from '../model/pod.ts';
import { findGroupWithout } from '../model/pod-targets.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { type BlockedPod } from './actions.ts';
import { countsOf, explainBudget } from './explain-budget.ts';
import { isStuckTerminating } from './stuck-terminating.ts';
import { findLasting, type UnreadyBefore } from './unready-before.ts';

/** What disruptions are counted from. */
interface LedgerQuestion {
  readonly facts: ClusterFacts;
  readonly policy: Pick<Policy, 'waits'>;
  /** Epoch ms. */
  readonly now: number;
  /** See findLasting. */
  readonly unreadyBefore?: UnreadyBefore;
}

/** Counts, within one round, how many disruptions each budget still allows. */
export interface DisruptionLedger {
  /** Charges the pod to its budget (or, without one, to its Services). Returns what blocks the pod when it may not be disrupted. */
  charge(pod: PodFacts): BlockedPod | undefined;
}

/**
 * Opens the count for one observation. A pod that is removed from endpoints or terminating is a disruption until its replacement is Ready, and a
 * healthy target where load balancers send to pods themselves.
 */
export function openDisruptionLedger(question: LedgerQuestion): DisruptionLedger {
  const { facts } = question;
  const charged = new Set<string>();
  const index = indexOf(facts);
  const countHealthy = onceFor(
    (budget: DisruptionBudgetFacts) => index.podsOfBudget(budget).filter((pod) => serves(pod, facts)).length,
  );
  const state = onceFor((service: ServiceFacts) => observePods(service, question));
  return {
    charge: (pod) => {
      if (!pod.ready) return undefined;
      const budgets = index.budgetsOf(pod.uid);
      const [budget, ...others] = budgets;
      if (budget === undefined) return chargeServices(pod, facts, charged, state);
      if (others.length > 0) return blockTwice(pod, budgets);
      const has = countHealthy(budget);
      const name = `${budget.namespace}/${budget.name}`;
      if (has - (serves(pod, facts) ? 1 : 0) >= budget.desiredHealthy && !charged.has(`budget ${name}`)) {
        charged.add(`budget ${name}`);
        return undefined;
      }
      const block = countsOf(budget, has);
      // `kubectl get pdb` counts it.
      const late = index.podsOfBudget(budget).find((other) => isHealthy(other) && !serves(other, facts));
      const but = late === undefined ? '' : `; ${late.name} ${explainMissing(late, facts)}`;
      return {
        pod: podRefOf(pod),
        budget: name,
        ...block,
        reason: `budget ${name} ${explainBudget(block).says}${but}`,
      };
    },
  };
}

/** Whether callers can count on it: it is healthy and, where load balancers send to pods themselves, a healthy target. */
function serves(pod: PodFacts, facts: ClusterFacts): boolean {
  return isHealthy(pod) && findGroupWithout(pod, facts) === undefined;
}

function isHealthy(pod: PodFacts): boolean {
  return pod.ready && !pod.terminating && pod.endpointsRemoved === undefined;
}

function blockTwice(pod: PodFacts, budgets: readonly DisruptionBudgetFacts[]): BlockedPod {
  const names = budgets.map((budget) => `${budget.namespace}/${budget.name}`);
  return {
    pod: podRefOf(pod),
    budget: undefined,
    needs: 0,
    has: 0,
    reason: `several budgets select it (${names.join(', ')}), and the eviction API refuses such pods`,
  };
}

/**
 * Without a budget, a Service with several pods allows one to leave at a time, over all nodes, each once the one before has been
 * replaced, and keeps a ready endpoint: as a budget with maxUnavailable 1 would.
 */
function chargeServices(
  pod: PodFacts,
  facts: ClusterFacts,
  charged: Set<string>,
  state: (service: ServiceFacts) => PodsOfService,
): BlockedPod | undefined {
  const services = servicesOf(pod, facts).filter((service) => isReadyEndpoint(pod, service));
  for (const service of services) {
    const several = state(service).staying > 1;
    const missing = state(service).missing.find((other) => other.uid !== pod.uid);
    const leaving = charged.has(`service ${service.key}`) || missing !== undefined;
    if (!several || (readyOtherThan(pod, service, facts) > 0 && !leaving)) continue;
    const has = readyOtherThan(pod, service, facts) + 1;
    const waitsFor = missing === undefined ? '' : `, and ${missing.name} ${explainMissing(missing, facts)}`;
    const reason =
      has > 1
        ? `service ${service.key} has no budget and allows one pod to leave at a time${waitsFor}`
        : `it is the last ready endpoint of service ${service.key}`;
    return { pod: podRefOf(pod), budget: undefined, needs: 1, has, reason };
  }
  for (const service of services) charged.add(`service ${service.key}`);
  return undefined;
}

function explainMissing(pod: PodFacts, facts: ClusterFacts): string {
  const group = isHealthy(pod) ? findGroupWithout(pod, facts) : undefined;
  if (group === undefined) return 'is not Ready';
  return group.silent === true ? `is not registered in ${group.name}` : `is not a healthy target of ${group.name}`;
}

/** The pods of a Service, as one observation shows them. */
interface PodsOfService {
  /** Number of pods that stay. */
  readonly staying: number;
  /**
   * Those that are missing: removed from its endpoints by a run, terminating, not Ready yet or no healthy target yet, on any node. One that is stuck terminating
   * was replaced when its termination began, unless a StatefulSet owns it, and its replacement is counted by itself. What was missing before the run is not.
   */
  readonly missing: readonly PodFacts[];
}

function observePods(service: ServiceFacts, question: LedgerQuestion): PodsOfService {
  const { facts, now } = question;
  const own = podsOf(service, facts);
  const staying = own.filter(isActive).length;
  const late = facts.podTargets === undefined ? [] : own.filter((pod) => isHealthy(pod) && !serves(pod, facts));
  const missing = [...unwellPods(indexOf(facts).podsIn(namespaceOf(service.key))), ...late].filter((pod) => {
    if (isStuckTerminating(pod, now) && pod.ownerKind !== 'StatefulSet') return false;
    const labels = { ...pod.labels, ...pod.endpointsRemoved?.originalLabels };
    return selects(service, { namespace: pod.namespace, labels });
  });
  const lasting = findLasting(missing, question);
  return { staying, missing: missing.filter(({ uid }) => !lasting.has(uid)) };
}

const unwellPods = onceFor((pods: readonly PodFacts[]) => pods.filter((pod) => !isHealthy(pod) && !isFinished(pod)));
