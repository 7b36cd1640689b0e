import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexByLabels, indexBySelector, matches } from '../../../core/model/label-index.ts';

const labels = fc.dictionary(fc.constantFrom('app', 'tier', 'team'), fc.constantFrom('a', 'b'));
const list = fc.array(labels, { maxLength: 12 });

test('a selector matches labels that have all of its pairs, and an empty one matches nothing', () => {
  expect(matches({ app: 'web' }, { app: 'web', tier: 'front' })).toBe(true);
  expect(matches({ app: 'web', tier: 'back' }, { app: 'web', tier: 'front' })).toBe(false);
  expect(matches({ app: 'web' }, {})).toBe(false);
  expect(matches({}, { app: 'web' })).toBe(false);
});

test('an index finds the same items as checking each one', () => {
  fc.assert(
    fc.property(list, list, (pods, selectors) => {
      const items = pods.map((one, name) => ({ name, labels: one }));
      const find = indexByLabels(items);
      for (const selector of selectors) {
        expect(find(selector)).toEqual(items.filter((item) => matches(selector, item.labels)));
      }
      const services = selectors.map((selector, name) => ({ name, selector }));
      const findServices = indexBySelector(services);
      for (const one of pods) {
        expect(findServices(one).toSorted((a, b) => a.name - b.name)).toEqual(
          services.filter(({ selector }) => matches(selector, one)),
        );
      }
    }),
  );
});
