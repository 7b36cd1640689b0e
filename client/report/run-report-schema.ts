/**
 * The JSON form of a report, for programs that read it. It is published as schemas/run-report.schema.json. A test makes sure that it says the same
 * as the type RunReport. It allows unknown fields: later versions add some.
 */
import { z } from 'zod';
import { type ProblemCode, problemCodes } from '../../core/model/problem.ts';
import { nodeSteps } from '../../core/steps/node-steps.ts';
import { type FinalPhase, poolPhases } from '../../core/steps/pool-phases.ts';
import { evidenceKinds } from '../../core/steps/steps.ts';

const finalPhases = ['completed', 'aborted', 'rolled-back', 'failed'] as const satisfies readonly FinalPhase[];

const operatorActions = [
  'start',
  'pause',
  'resume',
  'retry',
  'skip',
  'abort',
  'rollback',
  'approve',
  'reject',
  'override-window',
  'set-concurrency',
  'accept-unprotected',
] as const;

/** A moment, as all our JSON has it. */
export const time = (description: string) =>
  z.number().meta({ description: `${description} Milliseconds since 1970, UTC.` });
const amount = (description: string) => z.number().min(0).meta({ description });
const texts = (description: string) => z.array(z.string()).meta({ description });

const decision = { by: z.string(), reason: z.string(), at: time('When.') };

/** A problem. */
export const problem = z
  .object({
    code: z.enum(Object.keys(problemCodes) as ProblemCode[]).meta({ description: 'Stable code.' }),
    message: z.string().meta({ description: 'What happened.' }),
    hint: z.string().meta({ description: 'How to fix it.' }).optional(),
  })
  .meta({ id: 'Problem', description: 'What went wrong.' });

const node = z
  .object({
    name: z.string(),
    uid: z.string().meta({ description: 'UID of the Node object.' }),
    instanceId: z.string().meta({ description: 'ID of the cloud instance.' }),
    zone: z.string().meta({ description: 'Availability zone.' }),
  })
  .meta({ id: 'Node', description: 'A node of Kubernetes.' });

const externalChange = z
  .object({ at: time('When it was observed.'), what: z.string() })
  .meta({ id: 'ExternalChange', description: 'A change by somebody else, and what became of it.' });

const blocked = z.object({
  pod: z.string().meta({ description: 'namespace/name' }),
  budget: z.string().meta({ description: 'namespace/name of the PodDisruptionBudget that blocks it.' }).optional(),
  needs: z.number().meta({ description: 'Pods that must stay healthy.' }).optional(),
  has: z.number().meta({ description: 'Pods that are healthy.' }).optional(),
  expects: z.number().meta({ description: 'Pods that the budget counts on, healthy or not.' }).optional(),
  demand: z
    .object({
      field: z.enum(['minAvailable', 'maxUnavailable']),
      amount: z.number().meta({ description: 'Pods, or a percentage of them.' }),
      isPercentage: z.boolean(),
    })
    .meta({ description: 'What the spec of the budget demands.' })
    .optional(),
  since: time('Since when it has been blocked.'),
  reason: z.string(),
});

const waiting = z
  .object({
    for: z.string(),
    since: time('Since when.'),
    until: time('Deadline.').optional(),
    action: z.string().meta({ description: 'What would end the wait.' }).optional(),
    remedy: z.string().meta({ description: 'Why the wait does not end by itself, and what to change.' }).optional(),
    blocked: z.array(blocked).meta({ description: 'Pods that may not leave yet.' }).optional(),
  })
  .meta({ id: 'Waiting', description: 'What is waited for, or was when the run ended.' });

/** A piece of evidence. */
export const evidence = z
  .object({
    kind: z.enum(evidenceKinds),
    at: time('When it was observed.'),
    detail: z.string().meta({ description: 'What was observed.' }),
    because: z.string().meta({ description: 'Why the guard allowed the exclusion, in its figures.' }).optional(),
  })
  .meta({ id: 'Evidence', description: 'Something that was observed, never merely commanded.' });

const nodeStatus = z
  .object({
    node,
    step: z.enum(nodeSteps.map(({ id }) => id)),
    waiting: waiting.optional(),
    evidence: z.array(evidence),
    problem: problem.optional(),
    externalChanges: z.array(externalChange).optional(),
    unprotected: texts('What could not be protected on the node.').optional(),
    restoredBecause: z.string().meta({ description: 'Why it was restored although the run went on.' }).optional(),
    skipped: z.object(decision).meta({ description: 'Who had the run not replace it.' }).optional(),
    workflowId: z.string().optional(),
  })
  .meta({ id: 'NodeStatus', description: 'The replacement of one node.' });

const spell = z.object({
  from: time('When the first loss was observed.'),
  to: time('When the last loss was observed.'),
  lost: amount('Requests lost.'),
  canBeOurs: z.boolean().meta({ description: 'A node of the run was out then, or may have been.' }),
  nodes: texts('Nodes of the run that were out.'),
  failure: z.string().meta({ description: 'How one of the requests failed.' }).optional(),
});

const traffic = z
  .object({
    sent: amount('Requests sent. 0 means that nothing was measured.'),
    lost: amount('Requests without an answer.'),
    slow: amount('Requests whose connection took too long.'),
    losses: z
      .array(
        z.object({
          probe: z.string(),
          lost: amount('Requests lost.'),
          whileNoneOut: amount('Of these, lost while no node of the run was out.'),
          spells: z.array(spell),
        }),
      )
      .meta({ description: 'What each probe lost.' })
      .optional(),
    unwatchedMs: amount('Time without a probe, ms.').optional(),
    unwatched: z
      .array(z.object({ from: time('Beginning.'), to: time('End.') }))
      .meta({ description: 'When no probe was sent; the latest periods.' })
      .optional(),
  })
  .meta({ id: 'Traffic', description: 'What the probes counted.' });

const operatorAction = z
  .object({
    action: z.enum(operatorActions),
    of: z
      .string()
      .meta({ description: 'What was approved or rejected, the number that was set, or the node.' })
      .optional(),
    ...decision,
  })
  .meta({ id: 'OperatorAction', description: 'Who asked for what, when and why.' });

const approval = z.object({
  of: z.string().meta({ description: 'start, canary, or zone and its name.' }),
  since: time('Since when the run waits.'),
  until: time('Until when it waits.').optional(),
  onTimeout: z.enum(['stall', 'abort']),
});

const windowStatus = z.object({
  mayStart: z.boolean(),
  detail: z.string(),
  until: time('When the window closes, or the next one opens.').optional(),
  checkedAt: time('When it was checked.'),
});

/** What the status of a run and its report have in common. */
export const statusFields = {
  run: z.string().meta({ description: 'Name of the run.' }),
  workflowId: z.string().meta({ description: 'ID of its workflow in Temporal.' }),
  cluster: z.string(),
  pool: z.string().meta({ description: 'The old pool.' }),
  newPool: z.string().meta({ description: 'The new pool. Empty for a drain.' }),
  drain: z
    .enum(['keep', 'terminate'])
    .meta({ description: 'Set when the run drains nodes: whether it keeps or terminates them.' })
    .optional(),
  fromVersion: z.string(),
  toVersion: z.string(),
  phase: z.enum(poolPhases.map(({ id }) => id)),
  startedAt: time('Start of the run.'),
  finishedAt: time('End of the run.').optional(),
  stalled: problem.optional(),
  paused: z.object({ ...decision, endsByItself: z.literal(true).optional() }).optional(),
  maxInFlight: z
    .number()
    .meta({ description: 'The most nodes in progress together, if an operator set it.' })
    .optional(),
  approval: approval.meta({ description: 'What the run waits to be approved.' }).optional(),
  window: windowStatus.meta({ description: 'Upgrade windows, as last checked.' }).optional(),
  windowOverride: z.object(decision).meta({ description: 'Who overrode the upgrade windows.' }).optional(),
  rollback: z
    .object({
      ...decision,
      nodes: z.array(node).meta({ description: 'Nodes that the old pool got for it.' }).optional(),
    })
    .meta({ description: 'Who rolled the run back to the old pool.' })
    .optional(),
  waiting: waiting.optional(),
  nodes: z.array(nodeStatus).meta({ description: 'The old nodes, with the evidence of each.' }),
  traffic,
  probes: amount('Probes in the policy. 0 means that nothing was measured.'),
  disabledRules: texts('Protections that the policy disabled.'),
  actions: z.array(operatorAction).meta({ description: 'What operators did, the latest last.' }),
  externalChanges: z.array(externalChange).meta({ description: 'Those that do not belong to one node.' }),
};

/** The JSON form of a report. */
export const runReportSchema = z
  .object({
    ...statusFields,
    outcome: z.enum(finalPhases),
    durationMs: amount('From the start until nothing was left to do, ms.'),
    newNodes: z.array(node),
    instanceMinutes: amount('Instance time beyond what the pool costs anyway, minutes.').optional(),
    leftovers: texts('What was not restored, or was left on purpose because restoring it would do harm.'),
    unprotected: texts('What the plan could not protect and the operator accepted.'),
    accepted: z
      .array(
        z.object({
          rule: z.string().meta({ description: 'Id of the rule.' }),
          reason: z.string(),
          found: texts('What the rule found; empty where it found nothing.'),
        }),
      )
      .optional()
      .meta({ description: 'Rules whose findings were accepted, by --accept or spec.accept.' }),
  })
  .meta({ title: 'RunReport', description: 'How a run of nodeferry ended, with all its evidence.' });

/** The JSON schema (draft 7) of a report. */
export function runReportJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(runReportSchema, { io: 'input', target: 'draft-7' });
}
