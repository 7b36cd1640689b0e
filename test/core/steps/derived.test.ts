import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Activities } from '../../../activities/activities.ts';
import { nodeSteps, type WrittenStep } from '../../../core/steps/node-steps.ts';
import { poolPhases, type WrittenPhase } from '../../../core/steps/pool-phases.ts';
import { evidenceKinds, stepOf } from '../../../core/steps/steps.ts';
import { findLists } from './find-lists.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const rooms = [
  'core',
  'policy-file',
  'ports',
  'adapters',
  'activities',
  'wiring',
  'workflows',
  'worker',
  'client',
  'demo',
  'scripts',
];

function sources(): readonly string[] {
  return rooms
    .flatMap((room) => readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((f) => join(room, f)))
    .filter((path) => path.endsWith('.ts') && !/node_modules|^core\/steps\/|^scripts\/words\//.test(path));
}

test('nothing outside core/steps lists steps, phases, evidence, deadlines, rules or columns', () => {
  const lists = sources().flatMap((path) =>
    findLists(readFileSync(join(root, path), 'utf8')).map((found) => `${path}: ${found}`),
  );
  expect(lists).toEqual([]);
});

test.each([
  ['an array', "const holdable = ['pending', 'deregistering'];"],
  ['an array on lines of its own', "const kinds = [\n  'deregistered',\n  'connections-drained',\n];"],
  ['a union', "readonly step: 'draining-connections' | 'evicting';"],
  ['a table', "const words = {\n  'draining-connections': 'draining',\n};"],
  ['a copy of the deadlines', 'deregistrationMs: ms(a),\n  connectionDrainMs: ms(b),'],
  ['a switch', "case 'draining-connections':\n    case 'awaiting-replacements':\n  return 1;"],
  ['a group', "return step === 'pending' || step === 'restored';"],
  ['a column', "const column = { kind, title: 'REPLACED' };"],
  ['rules', "['capacity-guard', 'wait-for-replacements']"],
])('%s of them is found', (_name, text) => {
  expect(findLists(text)).toHaveLength(1);
});

test('a single name, where an act is done, is no list', () => {
  expect(findLists("await take(node, 'evicting', step); keep({ kind: 'connections-drained', at })")).toEqual([]);
});

test('every activity of an entry exists', () => {
  type Named = Extract<WrittenStep | WrittenPhase, { readonly activity: unknown }>['activity'];
  const unknown: readonly Exclude<Named, keyof Activities>[] = [] satisfies never[];
  expect(unknown).toEqual([]);
});

test('no name stands twice in a list', () => {
  for (const names of [nodeSteps.map(({ id }) => id), poolPhases.map(({ id }) => id), evidenceKinds])
    expect(new Set(names).size).toBe(names.length);
});

test('whatever has a deadline or evidence is done by an activity', () => {
  const idle = [...nodeSteps, ...poolPhases].filter(({ activity }) => activity === undefined);
  expect(idle.filter(({ deadlines, evidence }) => deadlines !== undefined || evidence !== undefined)).toEqual([]);
});

test('a step knows what an abort and a pause may do with its node', () => {
  expect(stepOf('terminating').reversible).toBe(false);
  expect(nodeSteps.filter(({ recallable }) => recallable).every(({ reversible }) => reversible)).toBe(true);
});
