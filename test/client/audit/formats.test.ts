import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { auditReportJsonSchema, type auditReportSchema } from '../../../client/audit/audit-report-schema.ts';
import { toSarif } from '../../../client/audit/sarif.ts';
import type { AuditReport } from '../../../core/audit/audit.ts';
import { rules } from '../../../core/audit/rules.ts';
import type { InJson, IsSame } from '../../support/in-json.ts';
import { poor, sound, withoutCloud } from './fixture.ts';

const inJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('an audit in JSON', () => {
  test('has a schema that says the same as the type', () => {
    const isSame: IsSame<InJson<AuditReport>, InJson<z.output<typeof auditReportSchema>>> = true;
    expect(isSame).toBe(true);
  });

  test('is valid, and a wrong one is not', () => {
    const validate = new Ajv({ strict: false }).compile(auditReportJsonSchema());
    for (const report of [poor, sound, withoutCloud]) expect(validate(inJson(report))).toBe(true);
    expect(validate({ ...poor, findings: [{ rule: 'WKL-033' }] })).toBe(false);
    expect(validate({ ...poor, nodes: 'four' })).toBe(false);
  });
});

/** What SARIF 2.1.0 requires of the objects that an audit writes: sections 3.13, 3.14, 3.18, 3.19, 3.20, 3.27, 3.33, 3.49 and 3.58. */
const message = { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } };
const level = { enum: ['none', 'note', 'warning', 'error'] };
const listOf = (items: object) => ({ type: 'array', items });
const sarifSchema = {
  type: 'object',
  required: ['version', 'runs'],
  properties: {
    $schema: { type: 'string' },
    version: { const: '2.1.0' },
    runs: listOf({
      type: 'object',
      required: ['tool', 'results'],
      properties: {
        tool: {
          type: 'object',
          required: ['driver'],
          properties: {
            driver: {
              type: 'object',
              required: ['name', 'rules'],
              properties: {
                rules: listOf({
                  type: 'object',
                  required: ['id', 'shortDescription', 'help'],
                  properties: {
                    shortDescription: message,
                    fullDescription: message,
                    help: message,
                    defaultConfiguration: { type: 'object', properties: { level } },
                  },
                }),
              },
            },
          },
        },
        invocations: listOf({
          type: 'object',
          required: ['executionSuccessful'],
          properties: {
            toolExecutionNotifications: listOf({ required: ['message'], properties: { message, level } }),
          },
        }),
        results: listOf({
          type: 'object',
          required: ['message', 'ruleId'],
          properties: {
            message,
            level,
            ruleIndex: { type: 'integer', minimum: 0 },
            locations: listOf({
              required: ['logicalLocations', 'physicalLocation'],
              properties: {
                logicalLocations: listOf({ required: ['fullyQualifiedName'] }),
                // What code scanning of GitHub requires beyond SARIF.
                physicalLocation: {
                  required: ['artifactLocation', 'region'],
                  properties: {
                    artifactLocation: {
                      properties: { uri: { type: 'string', pattern: '^[^/ ][^ ]*$' } },
                      required: ['uri'],
                    },
                    region: { properties: { startLine: { type: 'integer', minimum: 1 } }, required: ['startLine'] },
                  },
                },
              },
            }),
            partialFingerprints: { type: 'object', additionalProperties: { type: 'string' } },
          },
        }),
      },
    }),
  },
};

describe('an audit in SARIF', () => {
  test.each([
    ['with findings', poor],
    ['without any', sound],
    ['without the cloud', withoutCloud],
  ])('%s has what SARIF requires', (_, report) => {
    const validate = new Ajv({ strict: false }).compile(sarifSchema);
    expect(validate(inJson(toSarif(report)))).toBe(true);
    expect(validate({ version: '2.1.0', runs: [{ results: [] }] })).toBe(false);
  });

  test('names each rule by its place in the list of rules', () => {
    const [run] = toSarif(poor).runs;
    const listed = run?.tool.driver.rules.map(({ id }) => id) ?? [];
    expect(listed).toEqual(rules.map(({ id }) => id));
    expect(run?.results.map(({ ruleIndex }) => listed[ruleIndex])).toEqual(poor.findings.map(({ rule }) => rule));
  });

  test('tells severities, objects and fixes, and what was not checked', () => {
    const [run] = toSarif(poor).runs;
    const blocker = run?.results.find(({ ruleId }) => ruleId === 'WKL-017');
    expect(blocker).toMatchObject({
      level: 'error',
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: 'default/Pod/migrate-1.yaml' }, region: { startLine: 1 } },
          logicalLocations: [{ fullyQualifiedName: 'c/Pod default/migrate-1' }],
        },
      ],
      properties: { severity: 'blocker' },
    });
    const hasty = run?.results.find(({ ruleId }) => ruleId === 'WKL-033');
    expect(hasty?.message.text).toContain('kubectl -n default patch deployment web');
    const [invocation] = toSarif(withoutCloud).runs[0]?.invocations ?? [];
    expect(invocation?.toolExecutionNotifications[0]?.message.text).toContain('Not checked: CON-001');
  });

  test('gives a finding the same fingerprint when only its numbers change', () => {
    const fingerprints = (report: AuditReport) =>
      toSarif(report).runs[0]?.results.map((one) => one.partialFingerprints);
    const changed = { ...poor, findings: poor.findings.map((finding) => ({ ...finding, message: 'other numbers' })) };
    expect(fingerprints(changed)).toEqual(fingerprints(poor));
    expect(new Set(fingerprints(poor)?.map((one) => JSON.stringify(one))).size).toBe(poor.findings.length);
  });

  test('gives two findings of one rule at one object different fingerprints', () => {
    const twice = { ...poor, findings: [...poor.findings.slice(0, 1), ...poor.findings.slice(0, 1)] };
    const [first, second] = toSarif(twice).runs[0]?.results.map((one) => one.partialFingerprints) ?? [];
    expect(first).toBeDefined();
    expect(second).not.toEqual(first);
  });
});
