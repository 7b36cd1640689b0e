import { afterEach, describe, expect, test } from 'vitest';
import { evidenceKinds } from '../../core/status/status.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { countEvents, expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Harness, openHarness } from '../support/temporal-harness.ts';

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.stop();
  harness = undefined;
});

describe('an upgrade that nothing disturbs', () => {
  test.each([4, 8])('replaces %i nodes, loses nothing, leaves nothing behind', async (nodes) => {
    const world = createScenario({ nodes });
    harness = await openHarness(world);
    const handle = await harness.start(scenarioPolicy());
    const report = await handle.result();

    expect(report.outcome).toBe('completed');
    expect(report.phase).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, nodes);
    expect(report.leftBehind).toEqual([]);
    expect(report.traffic.sent).toBeGreaterThan(1_000);
    expect(report.traffic.lost).toBe(0);
    expect(world.pools.map((pool) => pool.name)).toEqual(['web-new']);
    expect(report.newNodes).toHaveLength(nodes);
    expect(world.fewestServing.get('default/web')).toBeGreaterThanOrEqual(nodes / 2);
    expect(world.terminations.size).toBe(nodes);

    for (const node of report.nodes) {
      expect(node.step).toBe('replaced');
      const kinds = node.evidence.map((one) => one.kind);
      expect(kinds).toEqual(evidenceKinds.filter((kind) => kind !== 'put-back'));
      const times = node.evidence.map((one) => one.at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }

    const events = await countEvents(harness, handle, report);
    console.log(`${nodes} nodes: ${(events / nodes).toFixed(1)} history events per node`);
    expect(events / nodes).toBeLessThanOrEqual(80);
  });

  test('shows a page of details and search attributes while it runs', async () => {
    const world = createScenario();
    let details = '';
    let phase: unknown;
    harness = await openHarness(world, {
      before: async (step) => {
        if (step !== 'retireEndpoints' || details !== '') return;
        const described = await harness?.client.workflow
          .getHandle(workflowId)
          .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
        details = described?.currentDetails ?? '';
        phase = (await harness?.client.workflow.getHandle(workflowId).describe())?.typedSearchAttributes.get({
          name: 'NodeferryPhase',
          type: 'KEYWORD',
        });
      },
    });
    const handle = await harness.start(scenarioPolicy());
    const { workflowId } = handle;
    await handle.result();
    expect(details).toContain('ip-10-0-0-1');
    expect(phase).toBe('replace');
  });

  test('leaves cordons and excludes of others alone', async () => {
    const world = createScenario();
    harness = await openHarness(world);
    const foreign = world.nodes[3];
    if (foreign === undefined) throw new Error('no node');
    world.nodes.push({
      ...foreign,
      name: 'ip-foreign',
      uid: 'uid-foreign',
      instanceId: 'i-foreign',
      pool: 'system',
      cordoned: true,
      ready: false,
      labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'true' },
      annotations: {},
      taints: [],
    });
    const report = await (await harness.start(scenarioPolicy())).result();
    expect(report.outcome).toBe('completed');
    const after = world.nodes.find((node) => node.uid === 'uid-foreign');
    expect(after?.cordoned).toBe(true);
    expect(after?.labels).toHaveProperty(['node.kubernetes.io/exclude-from-external-load-balancers']);
  });
});
