/** The written form of `spec.rollout`. */
import { z } from 'zod';
import { approvalPoints, timeoutOutcomes } from '../core/rollout/rollout.ts';
import { choice, duration, oneOf, text, wait, whole } from './fields.ts';

const canary = z
  .strictObject({
    nodes: whole(1, 1000).default(1).meta({
      description: 'How many nodes are replaced ahead of the others. Default 1.',
    }),
    soak: wait('Pause after they have been replaced, in which the probes continue.', '0s'),
  })
  .meta({ description: 'Replaces some nodes ahead of the others. Default: none.' });

const approvals = z
  .strictObject({
    at: z
      .array(oneOf(approvalPoints), { error: `a list of ${approvalPoints.join(', ')}` })
      .min(1, { error: 'at least one point; leave approvals out if nobody has to approve' })
      .meta({
        description:
          'Where the run waits until somebody approves. start: before it changes anything. canary: after the canary nodes and their soak. zone: before each zone except the first.',
      }),
    timeout: duration('How long the run waits for each approval. Default: for any length of time.', 1000).optional(),
    onTimeout: choice(
      timeoutOutcomes,
      'When nobody has approved in time. stall: the run is stalled, and continues when somebody approves. abort: the run is aborted, and everything is restored.',
      'stall',
    ),
  })
  .meta({ description: 'Approvals that the run waits for. Default: none.' });

/** The stages of a run, and its approvals. */
export const rollout = z
  .strictObject({
    canary: canary.optional(),
    zones: z
      .array(text('the name of a zone, such as eu-west-1a', /^[a-z0-9-]+$/, 64), { error: 'a list of zones' })
      .default([])
      .meta({
        description:
          'Zones that are replaced one after another, in this order; nodes in other zones follow last. Default: all zones together.',
      }),
    approvals: approvals.optional(),
    maxFailures: whole(0, 1000).optional().meta({
      description:
        'How many nodes may be stalled at the same time while others continue. With more, the run pauses itself, until enough of them are retried or skipped. They still count as in progress (guard.maxInFlight); unreachable nodes stop no others and do not count. Default: the first one stops the others, and the run is stalled without a pause.',
    }),
  })
  .refine(({ canary: ahead, approvals: gates }) => ahead !== undefined || gates?.at.includes('canary') !== true, {
    path: ['approvals', 'at'],
    error: 'canary only together with spec.rollout.canary',
  })
  .refine(({ zones, approvals: gates }) => zones.length > 0 || gates?.at.includes('zone') !== true, {
    path: ['approvals', 'at'],
    error: 'zone only together with spec.rollout.zones',
  })
  .meta({ description: 'The stages in which nodes are replaced, and where somebody has to approve.' });
