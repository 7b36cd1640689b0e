/**
 * The JSON form of the lines of `watch -o json`. It is published as schemas/watch-line.schema.json. A test makes sure that it says the same as the
 * type WatchLine. It allows unknown fields: later versions add some, and more types.
 */
import { z } from 'zod';
import { problem, runReportSchema, statusFields, time } from './report/run-report-schema.ts';
import { leaveReasons } from './watch-lines.ts';

const at = time('When it was observed.');
const exitCode = z.number().meta({ description: 'The exit code of the command: docs/cli.md.' });

const workflow = z
  .object({
    state: z.enum(['running', 'completed', 'failed', 'cancelled', 'terminated', 'timed-out']),
    closedAt: time('When it ended.').optional(),
    by: z.string().meta({ description: 'Who ended it from outside.' }).optional(),
    reason: z.string().optional(),
  })
  .meta({ description: 'The workflow of the run, as Temporal knows it.' });

const status = z
  .object({
    ...statusFields,
    workflow: workflow.optional(),
    leftovers: z
      .array(z.string())
      .meta({ description: 'What a run that has ended with a report could not restore.' })
      .optional(),
  })
  .meta({ id: 'RunStatus', description: 'The status of a run, as `status -o json` prints it.' });

/** The JSON form of a line. */
export const watchLineSchema = z
  .discriminatedUnion('type', [
    z
      .object({ type: z.literal('snapshot'), at, status })
      .meta({ description: 'The whole status: first, and whenever the run answers again.' }),
    z
      .object({
        type: z.literal('change'),
        at,
        node: z.string().meta({ description: 'Absent for a change of the whole run.' }).optional(),
        text: z.string().meta({ description: 'What has changed, in words. Not stable.' }),
      })
      .meta({ description: 'A change since the line before.' }),
    z
      .object({ type: z.literal('unreachable'), at, problem })
      .meta({ description: 'Nothing answers at the moment; the watch goes on.' }),
    z
      .object({ type: z.literal('ended'), at, exitCode, report: runReportSchema.optional(), status: status.optional() })
      .meta({
        description: 'The run has ended. A run that was ended from outside has no report, and its last status instead.',
      }),
    z
      .object({ type: z.literal('left'), at, exitCode, reason: z.enum(leaveReasons) })
      .meta({ description: 'The watch has ended, and the run continues.' }),
  ])
  .meta({ title: 'WatchLine', description: 'A line of `nodeferry watch -o json`.' });

/** The JSON schema (draft 7) of a line. */
export function watchLineJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(watchLineSchema, { io: 'input', target: 'draft-7' });
}
