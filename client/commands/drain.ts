import { NodeferryError } from '../../core/model/problem.ts';
import { refusal } from '../../core/plan/refusal.ts';
import { drainPolicy } from '../../core/policy/drain-policy.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { count, listNames } from '../../core/text/format.ts';
import { openCluster, providerOfNode } from '../../wiring/cluster.ts';
import type { ProviderName } from '../../wiring/providers.ts';
import { type WrittenAcceptances, withAccepted } from '../accept-option.ts';
import { nameCluster } from '../cluster-name.ts';
import { type ClusterOptions, clusterOptionsOf } from '../cluster-options.ts';
import { connectTemporal } from '../connect.ts';
import { defaultPolicy } from '../drain/default-policy.ts';
import { type NodeChoice, selectNodes } from '../drain/select-nodes.ts';
import { confirm, requireTerminal } from '../output/confirm.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { formatProblem } from '../output/fail.ts';
import { readPolicyFile } from '../output/policy-file.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { formatRunTarget, runTargetOf } from '../run-target.ts';
import { renderPlan } from '../view/plan.ts';
import { requireWorker, startUpgrade } from './upgrade.ts';
import { monitorRun } from './watch.ts';

/** Options of `drain`. */
export interface DrainOptions extends ClusterOptions, NodeChoice {
  /** Policy of the pool's upgrades, for its guard, waits and probes. */
  readonly file: string | undefined;
  readonly cluster: string | undefined;
  readonly region: string | undefined;
  readonly terminate: boolean;
  readonly deleteEmptyDirData: boolean;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly reason: string;
  readonly accept: WrittenAcceptances;
  readonly detach: boolean;
  readonly output: OutputFormat;
}

/** Drains nodes and watches that. It starts without asking, as `kubectl drain` does, unless instances are to be terminated. */
export async function drainCommand(options: DrainOptions): Promise<ExitCode> {
  const policy = withAccepted(await choosePolicy(options), options.accept);
  if (options.dryRun) return await showPlan(policy, options);
  const nodes = policy.selection?.nodes ?? [];
  const name = formatRunTarget(runTargetOf(policy));
  const what = `${count(nodes.length, 'node')} of ${name}: ${listNames(
    nodes.map((node) => node.name),
    10,
  )}`;
  if (options.terminate && !options.yes) {
    requireTerminal('Nothing was started', 'Add --yes to terminate instances without being asked.');
    if (!(await confirm(`Drain and terminate ${what}?`))) {
      printProgress('Nothing was started.');
      return exitCodes.failed;
    }
  }
  const connection = await connectTemporal();
  try {
    await requireWorker(connection);
    const started = await startUpgrade(connection, policy, options.reason);
    printProgress(`Draining ${what} (run ${started.run}, workflow ${started.workflowId}).`);
    if (options.detach) {
      printData(options.output, started, () => started.workflowId);
      printProgress(`Watch it: nodeferry watch ${name}`);
      return exitCodes.ok;
    }
    const watching = { output: options.output, untilStalled: false, timeoutMs: undefined, asLines: false };
    return await monitorRun(connection, runTargetOf(policy), watching);
  } finally {
    await connection.close();
  }
}

async function choosePolicy(options: DrainOptions): Promise<Policy> {
  const written = options.file === undefined ? undefined : readPolicyFile(options.file);
  const kubernetes = openCluster(clusterOptionsOf(options));
  try {
    const { nodes } = await kubernetes.observe();
    const { terminate, deleteEmptyDirData, force } = options;
    const selected = selectNodes(nodes, options);
    const first = nodes.find(({ uid }) => uid === selected.nodes[0]?.uid);
    const base = written ?? policyWithoutFile(options, first && providerOfNode(first));
    if (terminate && base.cluster.region === '')
      throw new NodeferryError({
        code: 'InvalidArgument',
        message: 'Instances are terminated through the cloud, and the region of the cluster is not known.',
        hint: 'Give --region, or drain without --terminate and remove the instances yourself.',
      });
    return drainPolicy(base, { ...selected, terminate, deleteEmptyDirData, force });
  } finally {
    kubernetes.close();
  }
}

function policyWithoutFile(options: DrainOptions, provider: ProviderName | undefined): Policy {
  return defaultPolicy({ ...nameCluster(options, provider), ...(provider === undefined ? {} : { provider }) });
}

/** Makes the plan with the caller's credentials. Changes nothing. */
async function showPlan(policy: Policy, options: DrainOptions): Promise<ExitCode> {
  const { makePlan } = await import('../make-plan.ts');
  const plan = await makePlan(policy, options);
  printData(options.output, plan, () => renderPlan(plan, styleFor(process.stdout)).join('\n'));
  const refused = refusal(plan);
  if (refused === undefined) return exitCodes.ok;
  printProgress(formatProblem(refused));
  return exitCodes.failed;
}
