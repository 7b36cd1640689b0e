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
