/** A load balancer that can't be watched and comes during a run: nodes wait, until an operator accepts that its Service may lose connections. */
import { describe, expect, test } from 'vitest';
import { abortUpdate, acceptUnprotectedUpdate, type OperatorRequest, resumeUpdate } from '../../workflows/messages.ts';
import { addClassicService } from '../simulator/scenario.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'nobody depends on previews' } satisfies OperatorRequest;
const preview = { ...operator, service: 'default/preview' };

/** An upgrade during which a Service that can't be protected appears before the first call of this step. Its connections pass through all nodes. */
async function startWithPreview(at: string) {
  const { world, start } = upgradeOf();
  const { harness, handle } = await start({
    before: (step) => {
      if (step !== at || world.services.some(({ key }) => key === preview.service)) return;
      addClassicService(world, 'preview', 'Cluster', { app: 'api' });
    },
  });
  const status = await harness.until(handle, 'stalled', ({ stalled }) => stalled !== undefined);
  return { world, harness, handle, stalled: status.stalled };
}

describe('a Service that cannot be protected and appears', () => {
  test('while nodes are deregistered holds the run until it is accepted, and the report says by whom', async () => {
    const { world, harness, handle, stalled } = await startWithPreview('awaitDeregistered');
    expect(stalled?.message).toMatch(/nodeferry accept-unprotected sim-\w+\/web default\/preview --reason <why>$/);
    await handle.executeUpdate(acceptUnprotectedUpdate, { args: [preview] });
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.unprotected).toEqual(['default/preview: accepted during the run by ann: nobody depends on previews']);
    expect(report.actions).toContainEqual(
      expect.objectContaining({ action: 'accept-unprotected', of: 'default/preview', ...operator }),
    );
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('holds an abort too, whose new nodes can leave once it is accepted', async () => {
    const { world, harness, handle } = await startWithPreview('cordonNodes');
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    await harness.until(handle, 'stalled again', ({ stalled }) => stalled?.message.includes(preview.service) === true);
    await handle.executeUpdate(acceptUnprotectedUpdate, { args: [preview] });
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report).toMatchObject({ outcome: 'aborted', leftovers: [] });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});
