import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runProject } from '../../scripts/testing/projects.ts';
import { nameOf, type Repetition, repeatFailures } from '../../scripts/testing/repeat.ts';
import type { TestEnd } from '../../scripts/testing/report.ts';

/** Each starts vitest anew, several times. */
const patiently = 180_000;

describe('a real run of tests that fail', () => {
  function freshState(): string {
    const state = mkdtempSync(join(tmpdir(), 'nodeferry-fixture-'));
    vi.stubEnv('NODEFERRY_FIXTURE_STATE', state);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(state, { recursive: true, force: true });
    });
    return fileURLToPath(new URL('unsteady-project', import.meta.url));
  }

  test('repeats once just what failed, and tells both outputs of what passed then', {
    timeout: patiently,
  }, async () => {
    const outcome = await runProject('workflow', 'kept', freshState());
    expect(outcome).toMatchObject({ ok: false, counts: { passed: 3, failed: 1, skipped: 0 } });
    expect(outcome.failedTests?.map(({ test: name, why, again }) => [name, headOf(why), headOf(again)])).toEqual([
      [
        'tests (of a kind) > one that always fails',
        'AssertionError: for the 1. time',
        'AssertionError: for the 2. time',
      ],
    ]);
    const unsteady = outcome.unsteady?.map(({ name, first }) => `${name}: ${headOf(first)}`);
    expect(unsteady?.sort()).toEqual([
      'cannot-load-at-first.fixture.ts: it cannot be loaded',
      'tests.fixture.ts: tests (of a kind) > one that fails [at first]: AssertionError: expected 1 to be 2 // Object.is equality',
    ]);
    for (const { again } of outcome.unsteady ?? []) expect(again).toContain('1 passed');
  });

  test('repeats nothing in the unit project', { timeout: patiently }, async () => {
    const outcome = await runProject('unit', 'kept', freshState());
    expect(outcome).toMatchObject({ ok: false, counts: { passed: 1, failed: 3, skipped: 0 } });
    expect(outcome).not.toHaveProperty('unsteady');
  });
});

function headOf(text: string | undefined): string | undefined {
  return text?.split('\n')[0];
}

function end(test: string | undefined, status: TestEnd['status'], file = 'a.test.ts'): TestEnd {
  return { file, test, status, why: status === 'failed' ? `${test} has failed` : '' };
}

describe('what failed', () => {
  const passing: Repetition = { ends: [end('one', 'passed'), end('two', 'passed')], output: 'fine', ok: true };

  test('is repeated file by file, and named by file and test', async () => {
    const asked: unknown[] = [];
    const ends = [
      end('one', 'failed'),
      end('two', 'failed'),
      end('three', 'passed'),
      end('one', 'failed', 'b.test.ts'),
    ];
    const { unsteady } = await repeatFailures(ends, async (file, tests) => {
      asked.push([file, tests]);
      return passing;
    });
    expect(asked).toEqual([
      ['a.test.ts', ['one', 'two']],
      ['b.test.ts', ['one']],
    ]);
    expect(unsteady.map(({ name }) => name)).toEqual(['a.test.ts: one', 'a.test.ts: two']);
  });

  test('has failed twice when the repetition did not run it, or something failed beside it', async () => {
    const ends = [end('one', 'failed')];
    for (const again of [
      { ...passing, ends: [] },
      { ...passing, ends: [end('one', 'skipped')] },
      { ...passing, ok: false },
    ]) {
      const repeated = await repeatFailures(ends, async () => again);
      expect(repeated.unsteady).toEqual([]);
      expect(repeated.ends.map(nameOf)).toEqual(['a.test.ts: one']);
      expect(repeated.ends[0]).toMatchObject({ status: 'failed', why: 'one has failed' });
      expect(repeated.ends[0]?.again).toBeDefined();
    }
  });

  test('is not repeated when it is much: that is no unsteadiness', async () => {
    const ends = Array.from({ length: 11 }, (_, index) => end(`test ${index}`, 'failed'));
    const again = vi.fn<() => Promise<Repetition>>();
    expect(await repeatFailures(ends, again)).toEqual({ ends, unsteady: [] });
    expect(again).not.toHaveBeenCalled();
  });
});
