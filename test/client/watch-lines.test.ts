import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { watchLineJsonSchema, type watchLineSchema } from '../../client/watch-line-schema.ts';
import { createLines, type WatchLine } from '../../client/watch-lines.ts';
import type { InJson, IsSame } from '../support/in-json.ts';
import { aReport } from './run-report-fixture.ts';
import { aNode, aRun } from './run-status-fixture.ts';

const run = aRun({ nodes: [aNode('n1')] });
const seen = (status: typeof run) => ({ status, running: true, report: undefined });
const gone = { code: 'TemporalUnreachable', message: 'Temporal does not answer any more.' } as const;

describe('the lines of a watch', () => {
  test('begin with the whole status, and go on with changes of the run and of its nodes', () => {
    const lines = createLines();
    expect(lines.observed(seen(run), 1)).toEqual([{ type: 'snapshot', at: 1, status: run }]);
    expect(lines.observed(seen(run), 2)).toEqual([]);
    const after = { ...run, phase: 'finalize' as const, nodes: [aNode('n1', { step: 'replaced' })] };
    expect(lines.observed(seen(after), 3)).toEqual([
      { type: 'change', at: 3, text: 'phase finalize' },
      { type: 'change', at: 3, node: 'n1', text: 'replaced' },
    ]);
  });

  test('say once that nothing answers, and give the whole status when it does again', () => {
    const lines = createLines();
    lines.observed(seen(run), 1);
    expect(lines.unreachable(gone, 2)).toEqual([{ type: 'unreachable', at: 2, problem: gone }]);
    expect(lines.unreachable(gone, 3)).toEqual([]);
    expect(lines.observed(seen(run), 4)).toMatchObject([{ type: 'snapshot' }]);
  });

  test('have a schema that says the same as their type', () => {
    const isSame: IsSame<InJson<WatchLine>, InJson<z.output<typeof watchLineSchema>>> = true;
    expect(isSame).toBe(true);
  });

  test('are valid', () => {
    const validate = new Ajv({ strict: false }).compile(watchLineJsonSchema());
    const report = aReport();
    const { outcome: _outcome, durationMs: _durationMs, ...status } = report;
    const lines: readonly WatchLine[] = [
      { type: 'snapshot', at: 1, status: { ...status, workflow: { state: 'running' } } },
      { type: 'change', at: 1, node: 'n1', text: 'replaced' },
      { type: 'unreachable', at: 1, problem: gone },
      { type: 'ended', at: 1, exitCode: 0, report },
      { type: 'ended', at: 1, exitCode: 1, status },
      { type: 'left', at: 1, exitCode: 124, reason: 'timeout' },
    ];
    for (const line of lines) {
      validate(JSON.parse(JSON.stringify(line)));
      expect(validate.errors).toBeNull();
    }
    expect(validate({ type: 'nothing', at: 1 })).toBe(false);
  });
});
