import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { ownEvents } from '../../client/events/end-events.ts';
import { needsEvents } from '../../client/events/needs-events.ts';
import { createPoolReader } from '../../client/events/pool-events.ts';
import type { Happening, LoggedEvent } from '../../client/events/run-event.ts';
import { runEventJsonSchema, type runEventSchema } from '../../client/events/run-event-schema.ts';
import { createStepReader } from '../../client/events/step-events.ts';
import { plainStyle } from '../../client/output/style.ts';
import { renderEvent } from '../../client/view/event-line.ts';
import type { InJson, IsSame } from '../support/in-json.ts';

const histories = join(import.meta.dirname, '..', 'replay', 'histories');

/** What a recorded history tells. */
function told(name: string): readonly Happening[] {
  const { events } = historyFromJSON(JSON.parse(readFileSync(join(histories, `${name}.json`), 'utf8')));
  const read = name.endsWith('-pool') ? createPoolReader().read : createStepReader();
  return (events ?? []).flatMap((event) => read(event));
}

/** The same without steps. */
function turns(name: string): readonly string[] {
  return told(name)
    .filter(({ type }) => !type.startsWith('step-'))
    .map(({ node, message }) => (node === undefined ? message : `${node} ${message}`));
}

const event: LoggedEvent = {
  id: 'e5d0/7',
  at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  cluster: 'prod-eu',
  pool: 'web',
  run: 'run-1a2b3c4d',
  type: 'stalled',
  node: 'ip-10-0-0-1',
  message: 'stalled: Internal: no\u001b[31m way\nout',
};

describe('the events of a recorded run', () => {
  test('that was paused name the pause, who ended it, and each node that was excluded and replaced, in order', () => {
    const ofNodes = turns('paused-pool').filter((text) => text.startsWith('ip-'));
    expect(turns('paused-pool').filter((text) => !text.startsWith('ip-'))).toEqual([
      'start by tester: a test',
      'phase: preflight',
      'phase: lock',
      'phase: node surge',
      'phase: nodes ready',
      'phase: cordon',
      'pause by ann: recorded',
      'resume by ann: recorded',
      'phase: replace',
      'phase: finalize',
      'completed',
    ]);
    for (const n of ['1', '2', '3']) {
      expect(ofNodes.filter((text) => text.startsWith(`ip-10-0-0-${n} `))).toEqual([
        expect.stringMatching(/excluded from its load balancers: label set, because .* keeps 2 of 3/),
        `ip-10-0-0-${n} replaced`,
      ]);
    }
  });

  test('that was stalled name node, step and problem, once, and that somebody has resumed it', () => {
    const stalls = told('stalled-pool').filter(({ type }) => type === 'stalled');
    expect(stalls).toEqual([
      {
        type: 'stalled',
        node: 'ip-10-0-0-1',
        step: 'evicting',
        problem: expect.objectContaining({ code: 'Internal', message: 'something that an operator has to fix' }),
        message: expect.stringContaining('(fix: Resume to retry the step.'),
      },
    ]);
    expect(told('stalled-pool')).toContainEqual(
      expect.objectContaining({ type: 'operator-action', action: 'resume', by: 'ann' }),
    );
  });

  test('that was aborted end with its outcome', () => {
    expect(turns('aborted-pool')).toContain('abort by ann: recorded');
    expect(told('aborted-pool').at(-1)).toEqual({ type: 'run-ended', outcome: 'aborted', message: 'aborted' });
  });

  test('tell each step of a node: its begin, its end with what was observed, and its failure with the problem', () => {
    const evicting = told('stalled-node').filter(({ step }) => step === 'evicting');
    expect(evicting.map(({ type }) => type)).toEqual(['step-started', 'step-failed', 'step-started', 'step-ended']);
    expect(evicting[1]?.problem?.message).toBe('something that an operator has to fix');
    expect(evicting[3]?.evidence).toMatchObject([{ kind: 'evicted', detail: 'no pod left on ip-10-0-0-1' }]);
  });

  test('name what an operator asked for, also of a command that this version does not know', () => {
    const request = { by: 'ann', reason: 'it hangs', node: 'ip-10-0-0-1' };
    const input = { name: 'waitLonger', args: { payloads: [defaultPayloadConverter.toPayload(request)] } };
    const accepted = { workflowExecutionUpdateAcceptedEventAttributes: { acceptedRequest: { input } } };
    expect(createPoolReader().read(accepted)).toEqual([
      { type: 'operator-action', action: 'wait-longer', message: 'wait-longer by ann: it hangs', ...request },
    ]);
  });

  test('leave out what repeats every few minutes', () => {
    expect(told('paused-pool').some(({ step }) => step === 'monitorRun')).toBe(false);
  });
});

describe('what a run has published about its needs', () => {
  const none: ReadonlySet<string> = new Set();

  test('tells a pause of its own, but not that of an operator, whose request is told', () => {
    const paused = { by: 'nodeferry', reason: '3 requests were lost', at: 1 };
    expect(needsEvents({}, { paused }, none)).toEqual([
      {
        type: 'operator-action',
        action: 'pause',
        by: 'nodeferry',
        reason: paused.reason,
        message: 'pause by nodeferry: 3 requests were lost',
      },
    ]);
    expect(needsEvents({}, { paused: { ...paused, by: 'ann' } }, none)).toEqual([]);
    expect(needsEvents({ paused }, { paused, stalled: undefined }, none)).toEqual([]);
  });

  test('tells what is to be approved, until when', () => {
    const approval = { of: 'canary', since: 1, until: Date.UTC(2026, 0, 2, 3, 4, 5) };
    expect(needsEvents({}, { approval }, none)).toMatchObject([
      { type: 'approval-requested', of: 'canary', message: 'waits for approval of canary until 03:04:05 UTC' },
    ]);
  });

  test('tells a stall of the run, but not that of a node, which its node has told', () => {
    const stalled = { code: 'LockLost', message: 'the lock on the pool was lost' };
    expect(needsEvents({}, { stalled }, none)).toMatchObject([{ type: 'stalled', problem: stalled }]);
    expect(needsEvents({}, { stalled }, new Set([stalled.message]))).toEqual([]);
    expect(needsEvents({ stalled }, {}, none)).toMatchObject([{ type: 'stall-ended' }]);
  });
});

test('what no step has answered is read from the status or the report: external changes, and acts of the run itself', () => {
  const actions = [
    { action: 'pause', by: 'nodeferry', reason: 'published otherwise', at: 1 },
    { action: 'abort', by: 'nodeferry', reason: 'nobody has approved start', at: 2 },
    { action: 'resume', by: 'ann', reason: 'her own request is in the history', at: 3 },
  ];
  expect(ownEvents({ actions, externalChanges: [{ at: 4, what: 'n9 joined web' }] })).toEqual([
    { type: 'external-change', message: 'external change: n9 joined web', observedAt: 4 },
    {
      type: 'operator-action',
      action: 'abort',
      by: 'nodeferry',
      reason: 'nobody has approved start',
      message: 'abort by nodeferry: nobody has approved start',
      observedAt: 2,
    },
  ]);
});

describe('an event', () => {
  const validate = new Ajv({ strict: false }).compile(runEventJsonSchema());

  test('has a schema that says the same as its type', () => {
    const isSame: IsSame<InJson<LoggedEvent>, InJson<z.output<typeof runEventSchema>>> = true;
    expect(isSame).toBe(true);
  });

  test('is valid for everything that recorded runs tell; a wrong field is not', () => {
    const all = ['paused-pool', 'stalled-pool', 'aborted-pool', 'completed-node', 'stalled-node', 'aborted-node'];
    for (const happening of all.flatMap(told)) {
      const { observedAt: _observedAt, ...rest } = happening;
      validate(JSON.parse(JSON.stringify({ ...event, ...rest })));
      expect(validate.errors).toBeNull();
    }
    expect(validate({ ...event, type: 'nothing' })).toBe(false);
    expect(validate({ ...event, at: 'now' })).toBe(false);
  });

  test('is one line, with the time in UTC, without control characters', () => {
    expect(renderEvent(event, plainStyle)).toBe(
      '2026-01-02T03:04:05Z node ip-10-0-0-1 stalled: Internal: no\\u001b[31m way out',
    );
  });
});
