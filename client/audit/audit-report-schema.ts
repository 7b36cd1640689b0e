/**
 * The JSON form of an audit, for programs that read it. It is published as schemas/audit-report.schema.json. A test makes sure that it says the same
 * as the type AuditReport. It allows unknown fields: later versions add some.
 */
import { z } from 'zod';
import { severities } from '../../core/plan/finding.ts';
import { problem } from '../report/run-report-schema.ts';

const text = (description: string) => z.string().meta({ description });

const object = z
  .object({
    kind: text('Kind in Kubernetes, e.g. Deployment.'),
    namespace: text('Absent for objects that belong to no namespace.').optional(),
    name: text('Its name. Findings about several nodes name them all.'),
  })
  .meta({ id: 'AuditedObject', description: 'What a finding is about.' });

const fix = z
  .object({
    text: text('What to do, in words.'),
    commands: z.array(z.string()).meta({ description: 'Command lines that do it, in order.' }).optional(),
    yaml: text('Part of a manifest that does it.').optional(),
  })
  .meta({ id: 'Fix', description: 'How to fix it. Nothing is applied.' });

const finding = z
  .object({
    rule: text('Stable id, e.g. WKL-033: docs/audit.md.'),
    severity: z.enum(severities),
    object,
    message: text('What is wrong, with the numbers. Not stable.'),
    fix,
    accepted: text('Why it is accepted, by --accept.').optional(),
  })
  .meta({ id: 'AuditFinding', description: 'What one rule found at one object.' });

/** The JSON form of an audit. */
export const auditReportSchema = z
  .object({
    cluster: text('Name of the cluster.'),
    nodes: z.number().min(0).meta({ description: 'How many nodes were audited.' }),
    services: z.number().min(0).meta({ description: 'How many Services of type LoadBalancer have endpoints on them.' }),
    findings: z.array(finding).meta({ description: 'The most severe first.' }),
    unread: z
      .array(
        z.object({
          what: text('What could not be read.'),
          problem,
          rules: z.array(z.string()).meta({ description: 'Rules that were left out because of that.' }),
        }),
      )
      .meta({ description: 'Empty when everything was read.' }),
  })
  .meta({ title: 'AuditReport', description: 'What `nodeferry audit -o json` prints.' });

/** The JSON schema (draft 7) of an audit. */
export function auditReportJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(auditReportSchema, { io: 'input', target: 'draft-7' });
}
