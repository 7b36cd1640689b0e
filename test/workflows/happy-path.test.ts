import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { evidenceKinds } from '../../core/steps/steps.ts';
import { resumeUpdate, statusQuery } from '../../workflows/messages.ts';
import { addBatchPool, addClassicService } from '../simulator/scenario.ts';
import { variation } from '../support/extent.ts';
import { countEvents, expectNothingLeft, expectNothingLost, failureOfRun } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

describe('an upgrade that nothing disturbs', () => {
  test.each([4, 8])('replaces %i nodes, loses nothing, leaves nothing behind', async (nodes) => {
    const { world, harness, handle } = await upgradeOf({ nodes }).start();
    const report = await handle.result();

    expect(report.outcome).toBe('completed');
    expect(report.phase).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, nodes);
    expect(report.leftovers).toEqual([]);
    expect(report.traffic.sent).toBeGreaterThan(1_000);
    expect(report.traffic.lost).toBe(0);
    expect(world.pools.map((pool) => pool.name)).toEqual(['web-new']);
    expect(report.newNodes).toHaveLength(nodes);
    expect(world.fewestServing.get('default/web')).toBeGreaterThanOrEqual(nodes / 2);
    expect(world.terminations.size).toBe(nodes);
    const description = await handle.describe();
    expect(await description.staticSummary()).toMatch(/^sim-\w+\/web → web-new$/);
    expect(await description.staticDetails()).toMatch(
      /nodeferry status sim-\w+\/web.*a terminated run restores nothing/s,
    );

    for (const node of report.nodes) {
      expect(node.step).toBe('replaced');
      const kinds = node.evidence.map((one) => one.kind);
      const others: readonly string[] = ['restored', 'pods-surged', 'drained'];
      expect(kinds).toEqual(evidenceKinds.filter((kind) => !others.includes(kind)));
      const times = node.evidence.map((one) => one.at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }

    const events = await countEvents(harness, handle, report);
    console.log(`${nodes} nodes: ${(events / nodes).toFixed(1)} history events per node`);
    // 78 to 80 where nothing else runs; under load, events are split over more workflow tasks of three events each.
    expect(events / nodes).toBeLessThanOrEqual(100);
  });

  test('needs only one slot for steps: activities that last as long as the run use other slots', async () => {
    const { world, harness, handle } = await upgradeOf({ policy: { guard: { maxInFlight: 1 } } }).start({
      maxSteps: 1,
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('evicts pods without a budget one at a time, over all nodes, whether removed from endpoints or not', async () => {
    // Evicted while they are endpoints, they lose requests.
    const traffic = { lossBudget: 1_000_000 };
    const { world, start } = upgradeOf({ policy: { drain: { keepEndpoints: ['default/api'] }, traffic } });
    world.budgets = world.budgets.filter((budget) => budget.name !== 'api');
    let fewest = Number.POSITIVE_INFINITY;
    world.clock.onPassage(() => {
      const ready = world.pods.filter((pod) => pod.of === 'api' && pod.ready && !pod.terminating);
      fewest = Math.min(fewest, ready.length);
    });
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLeft(world, 4);
    expect(fewest).toBe(3);
  });

  variation('reports that forwarded connections have ended even if the pods of the node took longer', async () => {
    const { world, start } = upgradeOf({
      delays: { podGone: 150_000 },
      policy: { waits: { maxConnectionAgeMs: { '*': 30_000 } } },
    });
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    for (const node of report.nodes) {
      const ends = node.evidence.filter((one) => one.kind === 'forwarded-ended');
      expect(ends.map(({ detail }) => detail)).toEqual(['the longest connection age had passed before this step']);
    }
    expectNothingLost(world);
  });

  test('shows a page of details and search attributes while it runs, and the page of its end', async () => {
    const { start } = upgradeOf();
    const read = async (workflow: WorkflowHandle) =>
      (await workflow.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails ?? '';
    let details = '';
    let ofNode = '';
    let phase: unknown;
    const { harness, handle } = await start({
      before: async (step) => {
        if (step !== 'removeEndpoints' || details !== '') return;
        details = await read(harness.workflow(workflowId));
        const [child] = (await handle.query(statusQuery)).nodes.flatMap((one) => one.workflowId ?? []);
        ofNode = await read(harness.workflow(child ?? ''));
        phase = (await harness.workflow(workflowId).describe()).typedSearchAttributes.get({
          name: 'NodeferryPhase',
          type: 'KEYWORD',
        });
      },
    });
    const { workflowId } = handle;
    await handle.result();
    expect(details).toContain('ip-10-0-0-1');
    expect(ofNode).toContain('ip-10-0-0-1');
    expect(phase).toBe('replace');
    expect(await read(handle)).toContain('completed');
  });

  test('keeps cordons and exclude labels of others', async () => {
    const { world, start } = upgradeOf();
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
    const { handle } = await start();
    const report = await handle.result();
    expect(report.outcome).toBe('completed');
    const after = world.nodes.find((node) => node.uid === 'uid-foreign');
    expect(after?.cordoned).toBe(true);
    expect(after?.labels).toHaveProperty(['node.kubernetes.io/exclude-from-external-load-balancers']);
  });
});

describe('Services that nodeferry does not support', () => {
  test('are ignored where they belong to another pool, even when they appear during the run', async () => {
    const { world, start } = upgradeOf();
    addBatchPool(world);
    const batch = addClassicService(world, 'batch', 'Local');
    world.clock.advance(5 * 60_000);
    batch.ratePerSecond = 100;
    let appeared = false;
    const { harness, handle } = await start({
      before: (step) => {
        if (step !== 'awaitConnectionsDrained' || appeared) return;
        appeared = true;
        addClassicService(world, 'batch-too', 'Local', { app: 'batch' });
      },
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.unprotected).toEqual([]);
    expect(appeared).toBe(true);
    expectNothingLost(world);
    expectNothingLeft(world, 6);
  });

  test('refuse the run where they affect the pool, and nothing is changed', async () => {
    const { world, start } = upgradeOf();
    addBatchPool(world);
    addClassicService(world, 'batch', 'Cluster');
    const { handle } = await start();
    const failure = await failureOfRun(handle);
    expect(failure.type).toBe('PreflightRefused');
    expect(failure.report.stalled?.message).toMatch(/1 blocker: SVC-028 service default\/batch: .* pass through/);
    expectNothingLeft(world, 6);
    expect(world.pools.map((pool) => pool.name)).toEqual(['web', 'batch']);
  });

  test('block further nodes where they were supported when the run began, until they are again', async () => {
    const { world, start } = upgradeOf();
    const web = world.services.find((service) => service.key === 'default/web');
    if (web === undefined) throw new Error('no Service');
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'cordonNodes') web.balancer = 'classic';
      },
    });
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toContain("default/web can't be protected");
    harness.hooks.before = () => undefined;
    delete web.balancer;
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'fixed' }] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('block nothing where their loss is accepted, and the report names them', async () => {
    const { world, start } = upgradeOf({ policy: { guard: { acceptUnprotected: ['default/old'] } } });
    addClassicService(world, 'old', 'Local', { app: 'api' });
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.unprotected).toEqual([expect.stringContaining('service default/old')]);
    expectNothingLeft(world, 4);
  });

  test('do not refuse the run where their rule is accepted, and the report has the reason', async () => {
    const accept = { 'SVC-028': 'drained by its owner', 'WKL-034': 'in case' };
    const { world, start } = upgradeOf({ policy: { accept } });
    addClassicService(world, 'old', 'Local', { app: 'api' });
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.accepted).toEqual([
      { rule: 'SVC-028', reason: 'drained by its owner', found: [expect.stringContaining('service default/old')] },
      { rule: 'WKL-034', reason: 'in case', found: [] },
    ]);
    expectNothingLeft(world, 4);
  });

  variation('still block further nodes that appear once the rule was accepted for others', async () => {
    const { world, start } = upgradeOf({ policy: { accept: { 'SVC-028': 'drained by its owner' } } });
    addClassicService(world, 'old', 'Local', { app: 'api' });
    const web = world.services.find((service) => service.key === 'default/web');
    if (web === undefined) throw new Error('no Service');
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'cordonNodes') web.balancer = 'classic';
      },
    });
    const { stalled } = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalled?.message).toContain("default/web can't be protected");
    delete web.balancer;
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'fixed' }] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLeft(world, 4);
  });
});
