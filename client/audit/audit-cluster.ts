import { systemClock } from '../../adapters/clock/system-clock.ts';
import { elbTerms } from '../../adapters/elb/cloud-terms.ts';
import { createElbLoadBalancers } from '../../adapters/elb/load-balancers.ts';
import type { AuditReport } from '../../core/audit/audit.ts';
import type { NodeFacts } from '../../core/model/node.ts';
import type { Problem } from '../../core/model/problem.ts';
import { drainPolicy } from '../../core/policy/drain-policy.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { observeAndAudit } from '../../operations/observe-and-audit.ts';
import { openCluster } from '../../wiring/cluster.ts';
import { nameCluster } from '../cluster-name.ts';
import { type ClusterOptions, clusterOptionsOf } from '../cluster-options.ts';
import { defaultPolicy } from '../drain/default-policy.ts';
import { type AuditLimits, chooseNodes } from './choose-nodes.ts';

/** Which cluster is audited, and which part of it. */
export interface AuditTarget extends ClusterOptions, AuditLimits {
  readonly region: string | undefined;
}

const noRegion: Problem = {
  code: 'InvalidArgument',
  message: 'the AWS region of the cluster is not known',
  hint: 'Give --region, or set AWS_REGION, to have its load balancers audited too.',
};

/** Reads the cluster and its load balancers with the caller's credentials, and audits them. Changes nothing. */
export async function auditCluster(target: AuditTarget): Promise<AuditReport> {
  const named = nameCluster(target);
  const base = defaultPolicy(named);
  const { region } = named;
  const loadBalancers = region === undefined ? noRegion : createElbLoadBalancers({ region, clock: systemClock });
  const cluster = openCluster(clusterOptionsOf(target));
  try {
    return await observeAndAudit(
      { clock: systemClock, cluster, loadBalancers, terms: elbTerms },
      {
        choose: (facts) => chooseNodes(facts, target),
        policyFor: (nodes) => policyFor(base, nodes, target.pool),
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
