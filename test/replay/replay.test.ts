import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureWorkflowBundle } from '../../worker/bundle.ts';
import { buildBundle, quietLogger } from '../support/temporal-server.ts';

const histories = globSync(fileURLToPath(new URL('histories/*.json', import.meta.url))).toSorted();
let scratch: string;
let today: WorkflowBundleOption;
let changed: string;
let patched: string;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  scratch = mkdtempSync(join(tmpdir(), 'nodeferry-replay-'));
  today = await ensureWorkflowBundle(quietLogger);
  changed = await buildBundle(scratch, new URL('changed-workflows.ts', import.meta.url));
  patched = await buildBundle(scratch, new URL('patched-workflows.ts', import.meta.url));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('recorded histories', () => {
  test('are there for every kind of end', () => {
    const names = histories.map((path) => basename(path, '.json'));
    expect(names).toEqual([
      'aborted-node',
      'aborted-pool',
      'completed-node',
      'completed-pool',
      'drained-node',
      'drained-pool',
      'paused-node',
      'paused-pool',
      'rolled-back-node',
      'rolled-back-pool',
      'stalled-node',
      'stalled-pool',
    ]);
  });

  test.each(histories.map((path) => [basename(path, '.json'), path]))(
    '%s replays with the workflows of today',
    async (_name, path) => {
      const history: unknown = JSON.parse(readFileSync(path, 'utf8'));
      await Worker.runReplayHistory({ workflowBundle: today }, history);
    },
  );

  test.each(histories.map((path) => [basename(path, '.json'), path]))(
    '%s does not replay with changed workflows',
    async (_name, path) => {
      const history: unknown = JSON.parse(readFileSync(path, 'utf8'));
      const replay = Worker.runReplayHistory({ workflowBundle: { codePath: changed } }, history);
      await expect(replay).rejects.toBeInstanceOf(DeterminismViolationError);
    },
  );

  test.each(histories.map((path) => [basename(path, '.json'), path]))(
    '%s replays with workflows that were changed with a patch',
    async (_name, path) => {
      const history: unknown = JSON.parse(readFileSync(path, 'utf8'));
      await Worker.runReplayHistory({ workflowBundle: { codePath: patched } }, history);
    },
  );
});
