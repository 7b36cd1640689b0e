import { describe, expect, test } from 'vitest';
import { describeExclusion } from '../../activities/exclusion.ts';
import type { NodeRef } from '../../core/model/node.ts';
import type { ServingFacts } from '../../core/model/serving.ts';
import { buildPlan } from '../../core/plan/build-plan.ts';
import { limits, nodeBytes } from '../../core/plan/limits.ts';
import { measureRun } from '../../core/plan/measure-run.ts';
import { summarize } from '../../core/plan/pool-plan.ts';
import type { Evidence, NodeStatus, RunReport } from '../../core/status/status.ts';
import { truncateStatus } from '../../core/status/truncate-status.ts';
import { bytesOf } from '../../core/text/bytes.ts';
import { decideConnectionsDrained, decideDeregistered } from '../../core/waits/load-balancers.ts';
import { decideReplacementsServing } from '../../core/waits/replacements.ts';
import { nodeInput } from '../../workflows/run/node-input.ts';
import { aPolicy, aPool } from '../core/support/facts.ts';
import { aLargeObservation } from '../core/support/large-cluster.ts';

/** Why a node may be excluded, in the words of the guard. */
const because = 'budget production/general-purpose keeps 63 of 64 reachable pods, needs 48';

/** The final evidence of one node, in the words of the decisions. */
function statusAtEnd(node: NodeRef, facts: ServingFacts): NodeStatus {
  const leaving = facts.targetGroups.map((group) => ({
    ...group,
    targets: group.targets.map((target) =>
      target.kind === 'instance' && target.instanceId === node.instanceId
        ? { ...target, state: 'draining' as const, reason: 'Target.DeregistrationInProgress' }
        : target,
    ),
  }));
  const gone = facts.targetGroups.map((group) => ({ ...group, targets: [] }));
  const { evidence, before } = describeExclusion(node, because, facts, { policy: aPolicy() });
  const seen = (kind: Evidence['kind'], detail: string): Evidence => ({ kind, at: 1_790_000_000_000, detail });
  return {
    node,
    step: 'replaced',
    waiting: undefined,
    workflowId: `node-replacement/production-eu-west-1/general-purpose/run-0123abcd/${node.name}`,
    evidence: [
      ...evidence,
      seen('deregistered', decideDeregistered(node, leaving, { excludedForMs: 0, deadlineMs: 0 }).reason),
      seen('connections-drained', decideConnectionsDrained(node, gone, 1, 0).reason),
      seen('evicted', `no pod left on ${node.name}`),
      seen(
        'replacements-serving',
        decideReplacementsServing({
          facts,
          policy: aPolicy(),
          before,
          leaving: new Set([node.uid]),
          aside: {},
          patient: true,
        }).reason,
      ),
      seen('endpoints-removed', `no endpoint is left on ${node.name}`),
      seen('forwarded-ended', 'the longest connection age had passed before this step'),
      seen('terminated', node.instanceId),
      seen('node-deleted', `Node ${node.name} is gone`),
    ],
  };
}

function reportOf(nodes: readonly NodeStatus[], newNodes: readonly NodeRef[]): RunReport {
  return {
    run: 'run-0123abcd',
    workflowId: 'pool-upgrade/production-eu-west-1/general-purpose',
    cluster: 'production-eu-west-1',
    pool: 'general-purpose',
    newPool: 'general-purpose-1-34',
    fromVersion: '1.33',
    toVersion: '1.34',
    phase: 'completed',
    startedAt: 0,
    finishedAt: 1,
    paused: undefined,
    stalled: undefined,
    waiting: undefined,
    nodes,
    traffic: { sent: 0, lost: 0, slow: 0 },
    probes: 0,
    disabledRules: [],
    actions: [],
    externalChanges: [],
    outcome: 'completed',
    durationMs: 1,
    newNodes,
    leftovers: [],
    unprotected: [],
  };
}

/** Half of the size from which Temporal warns (temporalio/temporal, common/dynamicconfig/constants.go: limit.blobSize.warn). */
const unremarkable = 256 * 1024;

describe('128 nodes behind 100 Services', () => {
  const facts = aLargeObservation({ nodes: 128, services: 100, replicas: 64, budgets: 'each', otherServices: 100 });
  const policy = aPolicy();
  const plan = buildPlan({ policy, run: 'run-0123abcd', pool: aPool(facts.cluster.nodes), facts });
  const { nodes, baselines } = plan;
  const [node] = nodes;
  if (node === undefined) throw new Error('no node');
  const out = { ...describeExclusion(node, because, facts, { policy }), externalChanges: [] };
  const known = {
    run: plan.run,
    parent: 'p',
    pool: plan.oldPool,
    direction: 'forward' as const,
    policy,
    baselines,
    round: 1,
    resumes: 0,
    now: 0,
  };

  test('make a small plan, and a small input of the guard', () => {
    const question = { run: plan.run, policy, baselines, inFlight: nodes.slice(0, 10), waiting: nodes.slice(0, 50) };
    expect(bytesOf(plan)).toBeLessThan(128 * 1024);
    expect(bytesOf(summarize(plan))).toBeLessThan(16 * 1024);
    expect(bytesOf(question)).toBeLessThan(48 * 1024);
  });

  test('the input of a node has only the Services that it affects', () => {
    const input = nodeInput(known, out);
    const onNode = facts.cluster.services.filter(({ endpoints }) => endpoints.some((one) => one.node === node.name));
    const expected = baselines.filter((one) => onNode.some(({ key }) => key === one.service));
    expect(expected.length).toBeLessThan(baselines.length);
    expect(input.baselines).toEqual(expected);
    expect(bytesOf(input)).toBeLessThan(16 * 1024);
  });

  test('the input of a node has every Service of policy Cluster: its connections enter anywhere', () => {
    const anywhere = aLargeObservation({ nodes: 128, services: 100, replicas: 3, traffic: 'Cluster' });
    const step = { ...describeExclusion(node, because, anywhere, { policy }), externalChanges: [] };
    expect(step.services).toHaveLength(100);
    expect(bytesOf(nodeInput(known, step))).toBeLessThan(32 * 1024);
  });

  test('the input of a node has every Service where a result does not say which ones it affects', () => {
    const { services: _touches, ...earlier } = out;
    expect(nodeInput(known, earlier).baselines).toEqual(baselines);
  });

  const ended = nodes.map((one) => statusAtEnd(one, facts));
  const report = reportOf(ended, nodes);

  test('end with a report that is small, and no larger than the plan expects', () => {
    expect(bytesOf(report)).toBeLessThan(unremarkable);
    expect(Math.max(...ended.map(bytesOf))).toBeLessThan(nodeBytes.reported);
    expect(bytesOf(out) - bytesOf(out.before) - bytesOf(out.services)).toBeLessThan(nodeBytes.replacing);
    expect(bytesOf(report)).toBeLessThan(measureRun(plan, facts).payloadBytes);
    expect(truncateStatus(report)).toBe(report);
  });

  test('the report still fits when much was done to every node, and has the time of each piece of evidence', () => {
    const changes = Array.from({ length: 50 }, (_, at) => ({
      at,
      what: `somebody removed the exclude label; set again ${at}`,
    }));
    const told = Array.from(
      { length: 20 },
      (_, index) => `pod default/web-${index} left while default/web listed it: why`,
    );
    const busy = {
      ...report,
      nodes: Array.from({ length: 8 }, () => ended)
        .flat()
        .map((one) => ({ ...one, externalChanges: changes, unprotected: told })),
      unprotected: Array.from({ length: 20_000 }, (_, index) => `pod default/web-${index} left while it was listed`),
    };
    const fitting = truncateStatus(busy);
    expect(bytesOf(busy)).toBeGreaterThan(2_000_000);
    expect(bytesOf(fitting)).toBeLessThanOrEqual(limits.payloadBytes);
    const times = (one: RunReport) => one.nodes.map(({ evidence }) => evidence.map(({ kind, at }) => [kind, at]));
    expect(times(fitting)).toEqual(times(busy));
    expect(fitting.unprotected.at(-1)).toMatch(/^\d+ more$/);
  });
});
