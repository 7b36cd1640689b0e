import { describe, expect, it } from 'vitest';

import { watchOutages } from '../../../adapters/kubernetes/outage.ts';

function watching() {
  const clock = { now: 1_000 };
  return { clock, watch: watchOutages(() => clock.now) };
}

describe('an outage of the API server', () => {
  it('ends with the first answer after two seconds or more in which there was none', () => {
    const { clock, watch } = watching();
    watch.failed(1_000);
    clock.now = 2_500;
    watch.failed(2_400);
    expect(watch.outageAt()).toBeUndefined();
    clock.now = 3_000;
    watch.answered();
    expect(watch.outageAt()).toBe(3_000);
  });

  it('began when the first request was sent that failed, however long that one waited', () => {
    const { clock, watch } = watching();
    clock.now = 31_000;
    watch.failed(1_000);
    clock.now = 31_100;
    watch.answered();
    expect(watch.outageAt()).toBe(31_100);
  });

  it('is none when a connection breaks and the next request is answered', () => {
    const { clock, watch } = watching();
    watch.failed(1_000);
    clock.now = 2_999;
    watch.answered();
    expect(watch.outageAt()).toBeUndefined();
  });

  it('is remembered while all goes well, and replaced by the next', () => {
    const { clock, watch } = watching();
    watch.failed(1_000);
    clock.now = 5_000;
    watch.answered();
    clock.now = 60_000;
    watch.answered();
    expect(watch.outageAt()).toBe(5_000);
    watch.failed(60_000);
    clock.now = 70_000;
    watch.answered();
    expect(watch.outageAt()).toBe(70_000);
  });

  it('is none when one request hangs while others are answered', () => {
    const { clock, watch } = watching();
    for (clock.now = 2_000; clock.now < 31_000; clock.now += 1_000) watch.answered();
    watch.failed(1_000);
    clock.now = 31_100;
    watch.answered();
    expect(watch.outageAt()).toBeUndefined();
  });
});
