import { systemClock } from '../../adapters/clock/system-clock.ts';
import type { AuditReport } from '../../core/audit/audit.ts';
import type { NodeFacts } from '../../core/model/node.ts';
import { drainPolicy } from '../../core/policy/drain-policy.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { observeAndAudit } from '../../operations/observe-and-audit.ts';
import { openCluster, providerOfNodes } from '../../wiring/cluster.ts';
import { findCloudTerms, openBalancersOf } from '../../wiring/load-balancers.ts';
import { nameCluster } from '../cluster-name.ts';
import { type ClusterOptions, clusterOptionsOf } from '../cluster-options.ts';
import { defaultPolicy } from '../drain/default-policy.ts';
import { type AuditLimits, chooseNodes } from './choose-nodes.ts';

/** Which cluster is audited, and which part of it. */
export interface AuditTarget extends ClusterOptions, AuditLimits {
  readonly region: string | undefined;
  /** Name of the cluster; that of the kubeconfig unless given. */
  readonly cluster?: string;
  /** Its settings hold instead of the defaults. */
  readonly policy?: Policy;
}

/** Reads the cluster and its load balancers with the caller's credentials, and audits them. Changes nothing. */
export async function auditCluster(target: AuditTarget): Promise<AuditReport> {
  const cluster = openCluster(clusterOptionsOf(target));
  const nameFor = (nodes: readonly NodeFacts[]) => {
    const provider = providerOfNodes(nodes);
    return { ...nameCluster(target, provider), ...(provider === undefined ? {} : { provider }) };
  };
  const { policy, region } = target;
  const baseFor = (nodes: readonly NodeFacts[]): Policy => {
    if (policy === undefined) return defaultPolicy(nameFor(nodes));
    return region === undefined ? policy : { ...policy, cluster: { ...policy.cluster, region } };
  };
  const openBalancers = (nodes: readonly NodeFacts[]) =>
    openBalancersOf(baseFor(nodes).cluster.region, systemClock)(nodes);
  try {
    return await observeAndAudit(
      { clock: systemClock, cluster, openBalancers, termsFor: findCloudTerms },
      {
        choose: (facts) => chooseNodes(facts, target),
        policyFor: (nodes) => policyFor(baseFor(nodes), nodes, target.pool),
        hasPolicy: policy !== undefined,
        ...(target.service === undefined ? {} : { service: target.service }),
      },
    );
  } finally {
    cluster.close();
  }
}

/** What a drain of all these nodes would be asked, though nobody starts one. */
function policyFor(base: Policy, nodes: readonly NodeFacts[], pool = 'all'): Policy {
  const selected = nodes.map(({ name, uid }) => ({ name, uid }));
  return drainPolicy(base, { pool, nodes: selected, terminate: false, deleteEmptyDirData: false, force: false });
}
