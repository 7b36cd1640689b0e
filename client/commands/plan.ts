import { systemClock } from '../../adapters/clock/system-clock.ts';
import { createEksNodePools } from '../../adapters/eks/node-pools.ts';
import { createElbLoadBalancers } from '../../adapters/elb/load-balancers.ts';
import { createKubernetesCluster } from '../../adapters/kubernetes/cluster.ts';
import { servicesOfRun } from '../../core/guard/services-of-run.ts';
import { buildPlan } from '../../core/plan/build-plan.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { refusal } from '../../core/plan/refusal.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { formatProblem } from '../output/fail.ts';
import { readPolicyFile } from '../output/policy-file.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { renderPlan } from '../view/plan.ts';

/** Looks at the cluster and the cloud with the caller's credentials and prints what an upgrade would do. Changes nothing. */
export async function planCommand(options: {
  readonly file: string;
  readonly output: OutputFormat;
}): Promise<ExitCode> {
  const policy = readPolicyFile(options.file);
  const plan = await makePlan(policy);
  printData(options.output, plan, () => renderPlan(plan, styleFor(process.stdout)).join('\n'));
  const refused = refusal(plan);
  if (!refused) return exitCodes.ok;
  printProgress(formatProblem(refused));
  return exitCodes.failed;
}

async function makePlan(policy: Policy): Promise<PoolPlan> {
  const kubernetes = createKubernetesCluster({});
  try {
    const pools = createEksNodePools({ clock: systemClock });
    const loadBalancers = createElbLoadBalancers({ region: policy.cluster.region, clock: systemClock });
    const [pool, cluster] = await Promise.all([
      pools.describePool({ cluster: policy.cluster.name, region: policy.cluster.region, name: policy.pool.name }),
      kubernetes.observe(),
    ]);
    const own = servicesOfRun(cluster, { policy, baselines: [] });
    const beside = cluster.services.filter((service) => !own.includes(service));
    const { groups, unsupported } = await loadBalancers.discover(own, { beside });
    const targetGroups = await loadBalancers.readTargets(groups);
    const facts = { cluster, targetGroups, unsupported, observedAt: systemClock.now() };
    return buildPlan({ policy, run: 'plan', pool, facts });
  } finally {
    kubernetes.close();
  }
}
