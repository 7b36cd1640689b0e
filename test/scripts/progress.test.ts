import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { createProgress } from '../../scripts/setup/progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function screen(terminal: boolean) {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: terminal, columns: 60 });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => String(stream.read() ?? '') };
}

test('without a terminal, says when a piece of work begins, every 15 seconds where it is, and when it ends', async () => {
  const { stream, text } = screen(false);
  const progress = createProgress(stream, 1);

  const work = progress.run('Kubernetes', 380, async (report) => {
    report('57 of 100 packages compiled', 0.57);
    await new Promise((resolve) => setTimeout(resolve, 20_000));
  });
  await vi.advanceTimersByTimeAsync(20_000);
  await work;
  progress.close();

  expect(text()).toBe(
    [
      'nodeferry: Kubernetes… (about 6 min 20 s on two cores, once)',
      'nodeferry: Kubernetes: 15 s, 57 of 100 packages compiled, about 6 min 05 s left',
      'nodeferry: [1/1] Kubernetes: done in 20 s',
      '',
    ].join('\n'),
  );
});

test('what is left never falls below what the share that is done tells', async () => {
  const { stream, text } = screen(false);
  const progress = createProgress(stream, 1);

  const work = progress.run('Kubernetes', 100, async (report) => {
    report('compiling', 0.5);
    await new Promise((resolve) => setTimeout(resolve, 90_000));
  });
  await vi.advanceTimersByTimeAsync(90_000);
  await work;
  progress.close();

  expect(text()).toContain('Kubernetes: 1 min 15 s, compiling, about 50 s left');
});

test('on a terminal, keeps one line up to date that fits the width', async () => {
  const { stream, text } = screen(true);
  const progress = createProgress(stream, 2);

  const work = progress.run('Kubernetes', 380, async (report) => {
    report('a long description of what is being done right now, in many words');
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  await vi.advanceTimersByTimeAsync(300);
  await work;
  progress.close();

  const [live = '', end = ''] = text().split('\r\u001b[K').slice(1);
  expect(live).toHaveLength(59);
  expect(live).toMatch(/^nodeferry: \[0\/2\] Kubernetes: 0 s, a long/);
  expect(end).toBe('nodeferry: [1/2] Kubernetes: done in 0 s\n');
});

test('a piece of work that fails says so and is not counted as done', async () => {
  const { stream, text } = screen(false);
  const progress = createProgress(stream, 1);

  const work = progress.run('Temporal', 8, () => Promise.reject(new Error('no network')));

  await expect(work).rejects.toThrow('no network');
  progress.close();
  expect(text()).toContain('[0/1] Temporal: failed in 0 s');
});
