import { systemClock } from '../../adapters/clock/system-clock.ts';
import { createEksNodePools } from '../../adapters/eks/node-pools.ts';
import { createElbLoadBalancers } from '../../adapters/elb/load-balancers.ts';
import { createKubernetesCluster, type KubernetesCluster } from '../../adapters/kubernetes/cluster.ts';
import { servicesOfRun } from '../../core/guard/services-of-run.ts';
import { claimsOn, sharedAmong, type Trial, trialsOn } from '../../core/hand-over/questions.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { ClusterFacts } from '../../core/model/serving.ts';
import { buildPlan } from '../../core/plan/build-plan.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { refusal } from '../../core/plan/refusal.ts';
import { handsOver, type Policy } from '../../core/policy/policy.ts';
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
    const asked = handsOver(policy) ? await askCluster(kubernetes, facts.cluster, policy) : undefined;
    return buildPlan({ policy, run: 'plan', pool, facts, ...asked });
  } finally {
    kubernetes.close();
  }
}

/** What no look shows of pods that may be handed over; the run's preflight asks the same. */
async function askCluster(kubernetes: KubernetesCluster, cluster: ClusterFacts, policy: Policy) {
  const nodes = cluster.nodes.filter(({ pool }) => pool === policy.pool.name);
  const sharedClaims = sharedAmong(await kubernetes.readClaims(claimsOn(nodes, cluster)));
  const denials = new Map<string, string>();
  for (const { workload, pod, from } of trialsOn(nodes, { cluster, policy, sharedClaims })) {
    const denial = await tryRelease(kubernetes, { pod, from });
    if (denial !== undefined) denials.set(workload, denial);
  }
  return { sharedClaims, denials };
}

/** Who may look at pods may not be allowed to change them: the run's own preflight tries it with the worker's role. */
async function tryRelease(kubernetes: KubernetesCluster, { pod, from }: Omit<Trial, 'workload'>) {
  try {
    return await kubernetes.tryRelease(pod, from);
  } catch (error) {
    if (error instanceof NodeferryError && error.problem.code === 'Forbidden') return undefined;
    throw error;
  }
}
