import type { MetricKind, MetricMeter, MetricTags, NumericMetricValueType } from '@temporalio/common';

/** Every activity has them. */
const tagsOfSdk = ['namespace', 'taskQueue', 'activityType'];

/** A value that was emitted; its tags without those that the SDK adds. */
interface Emitted {
  readonly name: string;
  readonly kind: MetricKind;
  readonly unit: string;
  readonly value: number;
  readonly tags: MetricTags;
}

/** A meter for the SDK that keeps what is emitted, in its order. */
export function createRecordingMeter(): { readonly meter: MetricMeter; readonly emitted: Emitted[] } {
  const emitted: Emitted[] = [];

  function instrument<Kind extends MetricKind, Type extends NumericMetricValueType>(
    kind: Kind,
    valueType: Type,
    { name, unit = '' }: { readonly name: string; readonly unit: string | undefined },
  ) {
    const write = (value: number, tags: MetricTags = {}): void => {
      // As the meter of a worker does.
      if (value < 0 && kind !== 'up-down-counter') throw new Error(`${name} must be non-negative (got ${value})`);
      const own = Object.fromEntries(Object.entries(tags).filter(([tag]) => !tagsOfSdk.includes(tag)));
      emitted.push({ name, kind, unit, value, tags: own });
    };
    const metric = { name, unit, kind, valueType, add: write, record: write, set: write, withTags: () => metric };
    return metric;
  }

  const meter: MetricMeter = {
    createCounter: (name, unit) => instrument('counter', 'int', { name, unit }),
    createUpDownCounter: (name, unit) => instrument('up-down-counter', 'int', { name, unit }),
    createHistogram: (name, valueType = 'int', unit = '') => instrument('histogram', valueType, { name, unit }),
    createGauge: (name, valueType = 'int', unit = '') => instrument('gauge', valueType, { name, unit }),
    withTags: () => meter,
  };
  return { meter, emitted };
}
