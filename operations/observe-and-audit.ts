import { type AuditReport, audit } from '../core/audit/audit.ts';
import type { CloudTerms } from '../core/audit/cloud-terms.ts';
import type { NodeFacts } from '../core/model/node.ts';
import { NodeferryError, type Problem } from '../core/model/problem.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { ClusterObserver } from '../ports/cluster/observer.ts';
import type { LoadBalancers } from '../ports/load-balancers.ts';
import type { Ports } from '../ports/ports.ts';
import { createObserver } from './observer.ts';

/** What an audit reads from. */
interface AuditSources extends Pick<Ports<ClusterObserver>, 'clock' | 'cluster'> {
  /** The load balancers of a cluster with these nodes, or why there are none to be read. */
  readonly openBalancers: (nodes: readonly NodeFacts[]) => LoadBalancers | Problem;
  readonly termsFor: (nodes: readonly NodeFacts[]) => CloudTerms;
}

/** What is audited. */
interface AuditChoice {
  /** Chooses the nodes that are audited. May throw when there are none. */
  readonly choose: (cluster: ClusterFacts) => readonly NodeFacts[];
  /** The policy for an audit of these nodes. */
  readonly policyFor: (nodes: readonly NodeFacts[]) => Policy;
  /** Whether the operator has written it. */
  readonly hasPolicy: boolean;
  /** `namespace/name` of the only Service that is of interest. */
  readonly service?: string;
}

/**
 * Observes a cluster and its load balancers afresh, and audits them. Load balancers that cannot be read are part of the report, because the
 * Kubernetes part is worth knowing without them. Changes nothing. @throws NodeferryError ClusterUnreachable, Forbidden, …
 */
export async function observeAndAudit(
  { clock, cluster, openBalancers, termsFor }: AuditSources,
  { choose, policyFor, hasPolicy, service }: AuditChoice,
): Promise<AuditReport> {
  const nodes = choose(await cluster.observe());
  const policy = policyFor(nodes);
  const { port, findProblem } = tolerate(openBalancers(nodes));
  const observer = createObserver({ clock, cluster, loadBalancers: port });
  const facts = await observer.observeFresh(policy);
  const problem = findProblem();
  return audit({
    facts,
    policy,
    hasPolicy,
    terms: termsFor(nodes),
    nodes: nodes.map(({ name, uid, instanceId, zone }) => ({ name, uid, instanceId, zone })),
    ...(service === undefined ? {} : { service }),
    ...(problem === undefined ? {} : { loadBalancersUnread: problem }),
  });
}

/** Load balancers that answer with nothing when they cannot be read, and remember why. */
function tolerate(loadBalancers: LoadBalancers | Problem): {
  readonly port: LoadBalancers;
  readonly findProblem: () => Problem | undefined;
} {
  const nothing = { groups: [], unsupported: [] };
  if ('code' in loadBalancers)
    return {
      port: { discover: async () => nothing, readTargets: async () => [] },
      findProblem: () => loadBalancers,
    };
  let problem: Problem | undefined;
  const orElse = async <T>(read: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await read;
    } catch (error) {
      if (!(error instanceof NodeferryError)) throw error;
      problem = error.problem;
      return otherwise;
    }
  };
  return {
    port: {
      discover: async (services, options) => await orElse(loadBalancers.discover(services, options), nothing),
      readTargets: async (groups, options) => await orElse(loadBalancers.readTargets(groups, options), []),
    },
    findProblem: () => problem,
  };
}
