import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeNodegroupCommand, EKSClient, ListNodegroupsCommand } from '@aws-sdk/client-eks';
import { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fetchRun } from '../../client/fetch-status.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import { startLabUpgrade } from '../../demo/lab-upgrade.ts';
import type { Lab } from '../../lab/lab.ts';
import { until } from '../../lab/process.ts';
import { controlsScenario } from '../../lab/scenarios/controls.ts';
import { poolUpgradeId } from '../../workflows/messages.ts';
import { runCommandLine } from '../support/command-line.ts';
import { sendToRun } from '../support/describe-run.ts';
import { followToEnd } from '../support/follow-to-end.ts';
import { describeLosses, type LabUpgrades, openLabUpgrades, ownershipOf } from '../support/lab-upgrades.ts';

const { clusterName, region } = controlsScenario;

/** The least that a policy says, for the command line. */
const writtenPolicy = `apiVersion: nodeferry.dev/v1alpha1
kind: PoolUpgrade
metadata: { name: web }
spec:
  cluster: { name: ${clusterName}, region: ${region} }
  pool: { provider: eks, name: web }
  target: { poolName: other, version: "1.36" }
`;

/** Deadlines of the demo's policy but for the new nodes, which shall be given up soon. */
const deadlines = {
  nodesReady: '20s',
  deregistration: '60s',
  connectionDrain: '2m',
  eviction: '3m',
  replacements: '3m',
  endpointRemoval: '2m',
  termination: '2m',
  guard: '10m',
};

describe('in a real cluster under traffic', () => {
  let upgrades: LabUpgrades;
  let underWay: Policy | undefined;
  beforeAll(async () => {
    upgrades = await openLabUpgrades();
  });
  afterEach(async () => {
    upgrades.session.lab.aws.faults.clear();
    // A test that failed midway leaves its run to nobody; the next one needs the pool.
    if (underWay !== undefined) await abort(underWay);
  });
  afterAll(async () => {
    await upgrades?.close();
  });

  test('a new node that never joins is waited for, named, and given up without a trace on abort', async () => {
    const { lab } = upgrades.session;
    await upgrades.beginClean();
    const before = await capacity(lab);
    lab.aws.faults.neverJoin(1);
    const policy = upgrades.nextPolicy({ waits: { deadlines } });
    await begin(policy);

    const waiting = await see(policy, ({ waiting: on }) => /[01] of 2 new nodes are Ready/.test(on?.for ?? ''));
    expect(waiting.phase).toBe('nodes-ready');
    expect(waiting.waiting?.since).toBeGreaterThanOrEqual(waiting.startedAt);
    expect((waiting.waiting?.until ?? 0) - (waiting.waiting?.since ?? 0)).toBe(20_000);

    const stalled = await see(policy, ({ stalled }) => stalled !== undefined);
    const unjoined = [...lab.aws.model.instances.values()].find((instance) => instance.neverJoins)?.id;
    expect(stalled.phase).toBe('nodes-ready');
    expect(stalled.stalled?.code).toBe('DeadlineExceeded');
    expect(stalled.stalled?.message).toContain(`1 of 2 new nodes are Ready, not joined: ${unjoined}`);

    const report = await abort(policy);
    await expectRolledBack(report, before);
  });

  test('a cloud without capacity is waited out and told, a second run is refused meanwhile, and an abort leaves nothing', async () => {
    const { lab, temporal } = upgrades.session;
    await upgrades.beginClean();
    const before = await capacity(lab);
    lab.aws.faults.refuseLaunches({ count: 2 });
    const policy = upgrades.nextPolicy();
    await begin(policy);

    const waiting = await see(policy, ({ waiting: on }) => /capacity/i.test(on?.for ?? ''));
    expect(waiting.phase).toBe('nodes-ready');
    expect(waiting.stalled).toBeUndefined();

    const env = { TEMPORAL_ADDRESS: temporal.address };
    const second = await runCommandLine(['upgrade', '-f', '-', '--yes', '--detach'], { input: writtenPolicy, env });
    expect(second.stderr).toContain('error AlreadyRunning: An upgrade of lab/web is already under way');
    expect(second).toMatchObject({ code: 1, stdout: '' });

    const replacing = await see(policy, ({ phase }) => phase === 'replace');
    expect(replacing.stalled).toBeUndefined();
    const report = await abort(policy);
    expect(report.actions.map(({ action }) => action)).toEqual(['start', 'abort']);
    await expectRolledBack(report, before);
  });

  test('a pool that does not exist fails the run before anything is touched', async () => {
    const { lab, connection } = upgrades.session;
    const callsBefore = lab.aws.requests.length;
    const policy = { ...upgrades.nextPolicy(), pool: { provider: 'eks', name: 'no-such-pool' } } satisfies Policy;
    await startLabUpgrade(upgrades.session, policy);
    const ended = connection.client.workflow.getHandle(poolUpgradeId(clusterName, 'no-such-pool')).result();
    const failure: unknown = await ended.catch((error: unknown) => error);
    if (!(failure instanceof WorkflowFailedError) || !(failure.cause instanceof ApplicationFailure)) throw failure;
    expect(failure.cause.type).toBe('PoolNotFound');
    expect(failure.cause.message).toContain('no-such-pool');
    // The cloud controller manager may call as well; it has no reason to change anything now.
    const changing = lab.aws.requests.slice(callsBefore).filter(({ action }) => !/^(Describe|List)/.test(action));
    expect(changing.map(({ action }) => action)).toEqual([]);
  });

  test('a cluster that does not answer ends a plan with exit code 69', async () => {
    const { lab, directory } = upgrades.session;
    const kubeconfig = await readFile(lab.kubeconfigPath, 'utf8');
    const unreachable = join(directory, 'unreachable');
    // Nothing listens on port 1 (tcpmux).
    await writeFile(unreachable, kubeconfig.replace(/server: .*/, 'server: https://127.0.0.1:1'));
    const env = { ...lab.opsEnv, AWS_ENDPOINT_URL: lab.awsUrl, KUBECONFIG: unreachable };
    const planned = await runCommandLine(['plan', '-f', '-'], { input: writtenPolicy, env });
    expect(planned.stderr).toContain('error ClusterUnreachable');
    expect(planned).toMatchObject({ code: 69, stdout: '' });
  });

  /** Waits for the expected status of the run. */
  function see(policy: Policy, shows: (status: RunStatus) => boolean): Promise<RunStatus> {
    let last: RunStatus | undefined;
    return until(
      async () => {
        last = (await fetchRun(upgrades.session.connection, { cluster: clusterName, pool: policy.pool.name })).status;
        return shows(last) ? last : undefined;
      },
      { what: 'the run shows what is waited for', timeoutMs: 120_000, everyMs: 250 },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; last seen: ${JSON.stringify(last)}`);
    });
  }

  async function begin(policy: Policy): Promise<void> {
    await startLabUpgrade(upgrades.session, policy);
    underWay = policy;
  }

  async function abort(policy: Policy): Promise<RunReport> {
    underWay = undefined;
    await sendToRun(upgrades.session, policy, 'abort');
    return followToEnd(upgrades.session, policy);
  }

  async function expectRolledBack(report: RunReport, before: readonly Capacity[]): Promise<void> {
    const { lab } = upgrades.session;
    expect(report.outcome).toBe('aborted');
    expect(report.leftovers).toEqual([]);
    expect(await ownershipOf(lab, report.run)).toEqual([]);
    expect(await capacity(lab)).toEqual(before);
    expect(describeLosses(await upgrades.losses())).toMatch(/none lost, cut or slow$/);
  }
});

/** A node group as AWS tells of it: sizes, instances, and what Auto Scaling may not do. */
interface Capacity {
  readonly pool: string;
  readonly sizes: readonly (number | undefined)[];
  readonly scaling: unknown;
  readonly instances: readonly string[];
  readonly suspended: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
}

async function capacity(lab: Lab): Promise<readonly Capacity[]> {
  const options = { region, endpoint: lab.awsUrl, credentials: { accessKeyId: 'lab', secretAccessKey: 'lab' } };
  const eks = new EKSClient(options);
  const autoScaling = new AutoScalingClient(options);
  const { nodegroups = [] } = await eks.send(new ListNodegroupsCommand({ clusterName }));
  return Promise.all(
    nodegroups.toSorted().map(async (name) => {
      const { nodegroup } = await eks.send(new DescribeNodegroupCommand({ clusterName, nodegroupName: name }));
      const group = nodegroup?.resources?.autoScalingGroups?.[0]?.name ?? '';
      const answer = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [group] }));
      const scaling = answer.AutoScalingGroups?.[0];
      return {
        pool: name,
        sizes: [scaling?.MinSize, scaling?.DesiredCapacity, scaling?.MaxSize],
        scaling: nodegroup?.scalingConfig,
        instances: (scaling?.Instances ?? []).map(({ InstanceId = '' }) => InstanceId).toSorted(),
        suspended: (scaling?.SuspendedProcesses ?? []).map(({ ProcessName = '' }) => ProcessName).toSorted(),
        tags: nodegroup?.tags ?? {},
      };
    }),
  );
}
