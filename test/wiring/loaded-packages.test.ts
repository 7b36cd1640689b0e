import { expect, test } from 'vitest';
import { packagesLoadedByModule } from '../support/loaded-modules.ts';

/** Google's clients take half a second of CPU, which nobody on another cloud waits for. */
test.each(['wiring/providers.ts', 'wiring/load-balancers.ts', 'wiring/environment.ts', 'worker/config.ts'])(
  '%s loads nothing of Google before something is called',
  (path) => {
    expect(packagesLoadedByModule(path).filter((name) => /google|gaxios|gax|grpc/.test(name))).toEqual([]);
  },
);

test('the environment is read without the SDKs of any cloud, so that a mistake is reported at once', () => {
  expect(packagesLoadedByModule('wiring/environment.ts')).toEqual([]);
});
