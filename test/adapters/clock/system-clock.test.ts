import { expect, test } from 'vitest';
import { systemClock } from '../../../adapters/clock/system-clock.ts';

test('a sleep ends without an error when its signal aborts, before or during it', async () => {
  const controller = new AbortController();
  const sleeping = systemClock.sleep(3_600_000, controller.signal);
  controller.abort();

  await expect(sleeping).resolves.toBeUndefined();
  await expect(systemClock.sleep(3_600_000, controller.signal)).resolves.toBeUndefined();
});

test('a sleep lasts no shorter than asked', async () => {
  const before = performance.now();

  await systemClock.sleep(30);

  expect(performance.now() - before).toBeGreaterThanOrEqual(29);
});

test('a sleep of 30 days does not end at once, as a single timer of that length does', async () => {
  const controller = new AbortController();
  let hasEnded = false;
  const sleeping = systemClock.sleep(30 * 86_400_000, controller.signal).then(() => {
    hasEnded = true;
  });

  await systemClock.sleep(50);

  expect(hasEnded).toBe(false);
  controller.abort();
  await sleeping;
});
