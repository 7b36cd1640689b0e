import { expect, test } from 'vitest';
import { renderTimeline } from '../../../client/view/report.ts';
import type { Evidence } from '../../../core/status/status.ts';
import { columnsOf, deadlinesOf, evidenceOf, rulesOf, type StepLists } from '../../../core/steps/derive.ts';
import type { StepSpec } from '../../../core/steps/step-spec.ts';
import { stepLists } from '../../../core/steps/steps.ts';
import { deadlineFields } from '../../../policy-file/schema.ts';
import { stepsDoc } from '../../../scripts/generate/steps-doc.ts';
import { aNode, startedAt } from '../../client/run-status-fixture.ts';

/** A step as somebody would add it: one entry, and nothing besides. */
const toy: StepSpec = {
  id: 'winding-down',
  label: 'winding down',
  state: 'in-progress',
  does: 'tells the toy to stop',
  waitsFor: 'the toy to stand still',
  activity: 'windDown',
  summary: 'wind down',
  deadlines: [{ field: 'standstill', fallback: '7m', description: 'The toy stands still.' }],
  evidence: [{ kind: 'wound-down', column: { title: 'WOUND-DOWN' } }],
  event: 'WindingDown',
  rule: { id: 'wind-down-first', without: 'the toy falls over' },
  reversible: true,
};

const place = stepLists.steps.findIndex(({ id }) => id === 'terminating');
const lists: StepLists = { ...stepLists, steps: stepLists.steps.toSpliced(place, 0, toy) };

/** Names of both, of which only the second may be new, and where it stands. */
function added(before: readonly string[], after: readonly string[]): { name: string | undefined; next?: string } {
  const name = after.find((one) => !before.includes(one));
  expect(after.filter((one) => one !== name)).toEqual(before);
  const next = after[after.indexOf(name ?? '') + 1];
  return { name, ...(next === undefined ? {} : { next }) };
}

test('a new entry is in the order of the evidence, before what comes after it', () => {
  const kinds = (of: StepLists) => evidenceOf(of).map(({ kind }) => kind);
  expect(added(kinds(stepLists), kinds(lists))).toEqual({ name: 'wound-down', next: 'terminated' });
});

test('a new entry has its deadline in the policy, with default and description', () => {
  const fields = (of: StepLists) => deadlinesOf(of).map(({ field }) => field);
  expect(added(fields(stepLists), fields(lists)).name).toBe('standstill');
  const field = deadlineFields(deadlinesOf(lists))['standstill'];
  expect(field?.parse(undefined)).toBe('7m');
  expect(field?.unwrap().meta()?.description).toBe('The toy stands still. Default 7m.');
});

test('a new entry has its column in the report', () => {
  const titles = (of: StepLists) => columnsOf(of).map(({ title }) => title);
  expect(added(titles(stepLists), titles(lists))).toEqual({ name: 'WOUND-DOWN', next: 'TERMINATED' });
  const evidence = [{ kind: 'wound-down', at: startedAt + 2_000, detail: '' }] as unknown as readonly Evidence[];
  const [head, row] = renderTimeline({ nodes: [aNode('n1', { evidence })], startedAt }, undefined, columnsOf(lists));
  const column = head?.indexOf('WOUND-DOWN') ?? -1;
  expect(row?.slice(column, column + 5)).toBe('+2.0s');
});

test('a new entry has its rule', () => {
  const ids = (of: StepLists) => rulesOf(of).map(({ id }) => id);
  expect(added(ids(stepLists), ids(lists)).name).toBe('wind-down-first');
});

test('a new entry is documented, with its Event', () => {
  const rows = stepsDoc(lists).split('\n');
  const before = stepsDoc(stepLists).split('\n');
  expect(rows.filter((row) => !before.includes(row))).toEqual([
    '| `winding-down` | winding down | tells the toy to stop | the toy to stand still | `standstill` | `wound-down` (WOUND-DOWN) | `WindingDown` | `wind-down-first` | yes |  |',
    '| `wind-down-first` | `winding-down` | the toy falls over |',
  ]);
});
