import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readSavedPlan, savePlan } from '../../client/saved-plan.ts';
import { approvedPart } from '../../core/plan/approved-plan.ts';
import { aPlan } from '../core/run/play.ts';

const folder = mkdtempSync(join(tmpdir(), 'nodeferry-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));

function save(change: (text: string) => string = (text) => text): string {
  const path = join(folder, 'plan.json');
  savePlan(path, aPlan());
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  return path;
}

describe('a saved plan', () => {
  test('is read as it was saved, also when its fields were put into another order', () => {
    const plan = aPlan();
    const saved = readSavedPlan(
      save((text) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).toReversed()))),
    );
    expect(saved.policy).toEqual(JSON.parse(JSON.stringify(plan.policy)));
    expect(saved.approved).toEqual(approvedPart(plan));
  });

  test.each([
    [
      'changed by hand',
      (text: string) => text.replace('"surge": 3', '"surge": 2'),
      'it was changed after it was saved',
    ],
    ['cut off', (text: string) => text.slice(0, 100), 'it is not JSON'],
    ['something else', () => '{"kind":"Deployment"}', 'it is not a saved plan'],
    ['of another version', (text: string) => text.replace(/"madeBy": "[^"]*"/, '"madeBy": "9.9.9"'), 'nodeferry 9.9.9'],
  ])('that is %s is refused with the reason', (_, change, why) => {
    expect(() => readSavedPlan(save(change))).toThrow(why);
  });

  test('that does not exist is refused, and so is a place where none can be written', () => {
    expect(() => readSavedPlan(join(folder, 'no-such.json'))).toThrow("it can't be read");
    expect(() => savePlan(join(folder, 'no', 'such', 'folder.json'), aPlan())).toThrow("can't be written");
  });
});
