import { describe, expect, test } from 'vitest';
import { packagesLoadedByModule } from '../support/loaded-modules.ts';

const ofAws = (name: string) => /^@aws-sdk|^@smithy/.test(name);
const ofGoogle = (name: string) => /google|gaxios|gax|grpc/.test(name);

/** The SDKs of each cloud take half a second of CPU, which nobody on another one waits for. */
test.each([
  'wiring/node-pools.ts',
  'wiring/load-balancers.ts',
  'wiring/environment.ts',
  'worker/config.ts',
  'worker/ports.ts',
])('%s loads nothing of any cloud before something is called', (path) => {
  expect(packagesLoadedByModule(path).filter((name) => ofAws(name) || ofGoogle(name))).toEqual([]);
});

test('the environment is read without the SDKs of any cloud, so that a mistake is reported at once', () => {
  expect(packagesLoadedByModule('wiring/environment.ts')).toEqual([]);
});

/** No credentials are asked of anybody, and nobody listens. */
const nobody = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  AWS_MAX_ATTEMPTS: '1',
  METADATA_SERVER_DETECTION: 'none',
};

describe('after the first calls to', () => {
  test('GKE, nothing of AWS is loaded', () => {
    const loaded = packagesLoadedByModule('test/support/first-calls.ts', ['gke'], nobody);
    expect(loaded).toEqual(expect.arrayContaining(['@google-cloud/container', '@googleapis/compute']));
    expect(loaded.filter(ofAws)).toEqual([]);
  });

  test('EKS, nothing of Google is loaded', () => {
    const loaded = packagesLoadedByModule('test/support/first-calls.ts', ['eks'], nobody);
    expect(loaded).toEqual(
      expect.arrayContaining(['@aws-sdk/client-eks', '@aws-sdk/client-elastic-load-balancing-v2']),
    );
    expect(loaded.filter(ofGoogle)).toEqual([]);
  });
});
