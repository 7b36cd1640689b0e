/**
 * The JSON form of an event, one line of `events -o json`. It is published as schemas/run-event.schema.json. A test makes sure that it says the same
 * as the type LoggedEvent. It allows unknown fields: later versions add some, and more types.
 */
import { z } from 'zod';
import { poolPhases } from '../../core/steps/pool-phases.ts';
import { evidence, problem, time } from '../report/run-report-schema.ts';
import { eventTypes, runEnds } from './run-event.ts';

/** The JSON form of an event. */
export const runEventSchema = z
  .object({
    id: z.string().meta({ description: 'The same whenever the event is read again.' }),
    at: time('When Temporal recorded it; for an external change, when it was observed.'),
    cluster: z.string(),
    pool: z.string().meta({ description: 'The old pool.' }),
    run: z.string().meta({ description: 'Name of the run.' }),
    type: z.enum(eventTypes),
    message: z.string().meta({ description: 'In a sentence, without the name of the node. Not stable.' }),
    node: z.string().meta({ description: 'Absent for what is about the whole run.' }).optional(),
    phase: z
      .enum(poolPhases.map(({ id }) => id))
      .meta({ description: 'The phase that began.' })
      .optional(),
    step: z
      .string()
      .meta({ description: 'The step of a node (docs/steps.md); of the run, the name of its activity in Temporal.' })
      .optional(),
    action: z.string().meta({ description: 'What was asked for: pause, resume, abort, approve, …' }).optional(),
    of: z
      .string()
      .meta({ description: 'What was approved, or is to be: start, canary, or zone and its name.' })
      .optional(),
    by: z.string().meta({ description: 'Who asked for it; nodeferry if it was the run itself.' }).optional(),
    reason: z.string().optional(),
    until: time('Until when the run waits for an approval.').optional(),
    problem: problem.optional(),
    evidence: z.array(evidence).meta({ description: 'What was observed.' }).optional(),
    outcome: z.enum(runEnds).meta({ description: 'How the run ended.' }).optional(),
  })
  .meta({ title: 'RunEvent', description: 'Something that has happened in a run of nodeferry.' });

/** The JSON schema (draft 7) of an event. */
export function runEventJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(runEventSchema, { io: 'input', target: 'draft-7' });
}
