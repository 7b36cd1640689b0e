import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { runReportJsonSchema, type runReportSchema } from '../../client/report/run-report-schema.ts';
import type { RunReport } from '../../core/status/status.ts';
import { poolPhases } from '../../core/steps/pool-phases.ts';
import type { InJson, IsSame } from '../support/in-json.ts';
import { aReport } from './run-report-fixture.ts';

test('the schema says the same as the type', () => {
  const isSame: IsSame<InJson<RunReport>, InJson<z.output<typeof runReportSchema>>> = true;
  expect(isSame).toBe(true);
});

const validate = new Ajv({ strict: false }).compile(runReportJsonSchema());
const histories = join(import.meta.dirname, '..', 'replay', 'histories');

test.each(['completed', 'aborted', 'rolled-back', 'paused', 'stalled'])(
  'the report of a run that was %s is valid',
  (name) => {
    expect(validate(recordedReport(name))).toBe(true);
  },
);

test('the most that a report can say is valid, and a wrong field is not', () => {
  const report: unknown = JSON.parse(JSON.stringify(aReport()));
  expect(validate(report)).toBe(true);
  expect(validate({ ...aReport(), durationMs: 'long' })).toBe(false);
  expect(validate({ ...aReport(), nodes: [{}] })).toBe(false);
});

test('the report of a run that was rolled back is valid, with or without nodes that the old pool got', () => {
  const asked = { by: 'ann', reason: 'a bad version', at: 1 };
  const report = { ...(JSON.parse(JSON.stringify(aReport())) as object), outcome: 'rolled-back', phase: 'rolled-back' };
  expect(validate({ ...report, rollback: asked })).toBe(true);
  expect(validate({ ...report, rollback: { ...asked, nodes: aReport().newNodes } })).toBe(true);
  expect(validate({ ...report, rollback: { ...asked, nodes: ['n1'] } })).toBe(false);
});

test('the outcomes are the phases in which a run ends', () => {
  const { properties } = runReportJsonSchema() as { properties: { outcome: { enum: readonly string[] } } };
  const final = poolPhases.filter(({ isFinal }) => isFinal === true).map(({ id }) => id);
  expect(properties.outcome.enum).toEqual(final);
});

/** The result of a recorded run. */
function recordedReport(name: string): unknown {
  const { events } = JSON.parse(readFileSync(join(histories, `${name}-pool.json`), 'utf8')) as {
    readonly events: readonly {
      readonly workflowExecutionCompletedEventAttributes?: {
        readonly result: { readonly payloads: readonly { readonly data: string }[] };
      };
    }[];
  };
  const [payload] = events.at(-1)?.workflowExecutionCompletedEventAttributes?.result.payloads ?? [];
  return JSON.parse(Buffer.from(payload?.data ?? '', 'base64').toString('utf8'));
}
