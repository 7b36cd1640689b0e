import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rules } from '../../../core/audit/rules.ts';
import { ruleTexts } from '../../../core/plan/audit/rule-texts.ts';
import { auditOf, webPods } from '../support/audited-cluster.ts';

const folder = new URL('../../../core/audit/rules/', import.meta.url);
const own = rules.filter(({ inPlan = false }) => !inPlan);

test('every rule has an id of its own, and is in the list in the order of ids', () => {
  const ids = rules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  expect(own.map(({ id }) => id).filter((id) => ruleTexts.has(id))).toEqual([]);
});

test('every rule that the plan does not have is a file, with the severities that its findings can have', () => {
  const files = readdirSync(folder).map((name): [string, readonly string[]] => {
    const source = readFileSync(new URL(name, folder), 'utf8');
    const declared = source.replace(/severities: \[.*\]/, '');
    const words = [...declared.matchAll(/'(blocker|error|warning|info)'/g)].map(([, severity = '']) => severity);
    return [name.slice(0, 7).toUpperCase(), [...new Set(words)].toSorted()];
  });
  const declared = own.map(({ id, severities }): [string, readonly string[]] => [id, severities.toSorted()]);
  expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(files));
});

test('every rule says what, why, how to fix it, and where that comes from', () => {
  for (const rule of rules) {
    const { id, title, why, fix, source } = rule;
    for (const text of [title, why, fix, source]) expect.soft(text.length, id).toBeGreaterThan(5);
  }
});

test('findings come in the same order whatever the order of the facts', () => {
  const pods = webPods({ preStopSeconds: 0, hasEmptyDir: true, orphaned: true });
  const findings = auditOf({ pods }).findings;
  const [severest] = findings;
  expect(severest?.severity).toBe('blocker');
  expect(auditOf({ pods: pods.toReversed() }).findings.map(({ rule, severity }) => [rule, severity])).toEqual(
    findings.map(({ rule, severity }) => [rule, severity]),
  );
});
