import { describe, expect, test } from 'vitest';
import {
  addUnwatchedPeriod,
  decideAnswer,
  type MonitorQuestion,
  maxCounts,
  reportIntervalMs,
} from '../../../core/status/count-traffic.ts';

const nothing = { sent: 0, lost: 0, slow: 0 };
const minute = 60_000;
const hour = 60 * minute;

/** How often a monitor reports during a run of this length. */
function countAnswers(lengthMs: number): number {
  let answers = 0;
  for (let age = 0; age < lengthMs; age += reportIntervalMs(age)) answers += 1;
  return answers;
}

test('a report is due every five minutes in the first hour, and then less often with the age of the run', () => {
  expect(reportIntervalMs(0)).toBe(5 * minute);
  expect(countAnswers(hour)).toBe(12);
  expect(countAnswers(24 * hour)).toBeLessThanOrEqual(52);
  expect(countAnswers(7 * 24 * hour)).toBeLessThanOrEqual(80);
});

describe('whether a monitor reports', () => {
  const question: MonitorQuestion = {
    counts: { sent: 100, lost: 0, slow: 0 },
    known: nothing,
    budget: 10,
    elapsedMs: 10_000,
    reportIntervalMs: 5 * minute,
  };
  const lost = (before: number, now: number) => ({
    known: { ...nothing, lost: before },
    counts: { ...nothing, lost: now },
  });
  test.each<[string, Partial<MonitorQuestion>, ReturnType<typeof decideAnswer>]>([
    ['nothing has happened', {}, undefined],
    ['nothing is measured', { ...lost(0, 1), elapsedMs: hour, reportIntervalMs: undefined }, undefined],
    ['it is time', { elapsedMs: 5 * minute }, 'counted'],
    ['the first request is lost', lost(0, 1), 'counted'],
    ['another one is lost', lost(1, 2), undefined],
    ['another one was lost a while ago', { ...lost(1, 2), elapsedMs: minute }, 'counted'],
    ['the budget is used up', lost(1, 10), undefined],
    ['more than the budget is lost', lost(1, 11), 'budget-exceeded'],
    [
      'more than the budget is lost, but some of it while no node was out',
      {
        ...lost(1, 11),
        counts: { ...nothing, lost: 11, losses: [{ probe: 'web', lost: 11, whileNoneOut: 1, spells: [] }] },
      },
      undefined,
    ],
    ['more is lost where the run has paused for it', { ...lost(1, 11), budget: undefined }, undefined],
  ])('%s', (_, change, answer) => {
    expect(decideAnswer({ ...question, ...change })).toBe(answer);
  });
});

describe('unwatched periods', () => {
  test('are added up, and the latest ten are listed', () => {
    let counts = { ...nothing };
    for (let i = 0; i < 12; i++) counts = addUnwatchedPeriod(counts, i * minute, i * minute + 10_000);
    expect(counts).toMatchObject({ unwatchedMs: 120_000 });
    expect(counts).toHaveProperty('unwatched.length', 10);
    expect(counts).toHaveProperty('unwatched[9]', { from: 11 * minute, to: 11 * minute + 10_000 });
  });

  test.each([undefined, 1_000])('do not exist before the first monitor, or within a moment (%s)', (from) => {
    expect(addUnwatchedPeriod(nothing, from, 6_000)).toEqual(nothing);
  });
});

test('counts never decrease', () => {
  const few = { sent: 5, lost: 1, slow: 0 };
  const many = { sent: 9, lost: 1, slow: 0 };
  expect([maxCounts(few, many), maxCounts(many, few)]).toEqual([many, many]);
});
