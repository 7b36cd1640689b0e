import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ruleTexts } from '../../../core/plan/audit/rule-texts.ts';

const folder = new URL('../../../core/plan/audit/', import.meta.url);

/** Which severities the source of each rule names. */
function severitiesInSource(): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(folder).filter((name) => /^[a-z]{3}-\d{3}-/.test(name));
  const found = files.map((name): [string, readonly string[]] => {
    const source = readFileSync(new URL(name, folder), 'utf8');
    const words = [...source.matchAll(/'(blocker|error|warning|info)'/g)].map(([, severity = '']) => severity);
    return [name.slice(0, 7).toUpperCase(), [...new Set(words)].toSorted()];
  });
  return new Map(found);
}

test('every rule is explained, with the severities that its findings can have', () => {
  const explained = [...ruleTexts].map(([id, { severities }]): [string, readonly string[]] => [
    id,
    severities.toSorted(),
  ]);

  expect(Object.fromEntries(explained)).toEqual(Object.fromEntries(severitiesInSource()));
});
