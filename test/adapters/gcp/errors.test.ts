import { describe, expect, test } from 'vitest';
import { isConflict, toNodeferryError } from '../../../adapters/gcp/errors.ts';
import { readGoogleError } from '../../../adapters/gcp/read-error.ts';

const rpc = (code: number, message: string, more: object = {}) => Object.assign(new Error(message), { code, ...more });
const http = (status: number, reason: string, message = 'no', headers: object = {}) =>
  Object.assign(new Error('Request failed'), {
    response: { status, headers, data: { error: { code: status, message, errors: [{ reason }] } } },
  });
const call = { permission: 'container.clusters.update', subject: 'pool prod/web' };
const codeOf = (error: unknown) => toNodeferryError(error, call).problem.code;

describe('an operation that excludes another is recognized', () => {
  test.each([
    ['9 FAILED_PRECONDITION: Cluster is running incompatible operation operation-1-a.'],
    [
      '9 FAILED_PRECONDITION: Operation operation-1-a is currently creating a node pool for cluster prod. Please wait and try again once it is done.',
    ],
    [
      '9 FAILED_PRECONDITION: Operation operation-1-a is currently upgrading cluster prod. Please wait and try again once it is done.',
    ],
    ['9 FAILED_PRECONDITION: Cluster is currently being created, deleted, updated or repaired and cannot be updated.'],
  ])('by its text: %s', (message) => {
    expect(isConflict(readGoogleError(rpc(9, message)))).toBe(true);
    expect(codeOf(rpc(9, message))).toBe('Conflict');
  });

  test('by its reason alone', () => {
    expect(codeOf(rpc(9, '9 FAILED_PRECONDITION: no', { reason: 'CLUSTER_ALREADY_HAS_OPERATION' }))).toBe('Conflict');
  });

  test('and nothing else is', () => {
    expect(codeOf(rpc(9, '9 FAILED_PRECONDITION: the version is not available'))).toBe('ProviderRefused');
    expect(codeOf(rpc(3, '3 INVALID_ARGUMENT: incompatible operation system'))).toBe('ProviderRefused');
  });
});

test('a resource that is not ready is asked about again later', () => {
  const { problem } = toNodeferryError(http(400, 'resourceNotReady', "The resource 'x' is not ready"), call);
  expect(problem).toMatchObject({ code: 'Conflict', hint: 'The call is made again later.' });
});

describe('an error of GKE', () => {
  test.each([
    [4, 'ProviderUnavailable'],
    [5, 'PoolNotFound'],
    [6, 'ProviderRefused'],
    [7, 'Forbidden'],
    [8, 'Throttled'],
    [10, 'Conflict'],
    [13, 'ProviderUnavailable'],
    [14, 'ProviderUnavailable'],
    [16, 'Forbidden'],
  ] as const)('with code %i is %s', (code, expected) => {
    expect(codeOf(rpc(code, 'no'))).toBe(expected);
  });

  test('that is about a quota is missing capacity, not a missing permission', () => {
    const message = `7 PERMISSION_DENIED: Insufficient regional quota to satisfy request: resource "CPUS": request requires '144.0' and is short '109.0'.`;
    const { problem } = toNodeferryError(rpc(7, message), call);
    expect(problem).toMatchObject({ code: 'CapacityUnavailable', hint: expect.stringContaining('quota') });
    expect(problem.message).toBe(
      `pool prod/web: container.clusters.update: PERMISSION_DENIED: Insufficient regional quota to satisfy request: resource "CPUS": request requires '144.0' and is short '109.0'.`,
    );
  });
});

describe('an error of Compute Engine', () => {
  test.each([
    [403, 'rateLimitExceeded', 'Throttled'],
    [403, 'userRateLimitExceeded', 'Throttled'],
    [429, 'rateLimitExceeded', 'Throttled'],
    [403, 'forbidden', 'Forbidden'],
    [401, 'authError', 'Forbidden'],
    [500, 'internalError', 'ProviderUnavailable'],
    [503, 'backendError', 'ProviderUnavailable'],
    [400, 'invalid', 'ProviderRefused'],
  ] as const)('%i %s is %s', (status, reason, expected) => {
    expect(codeOf(http(status, reason))).toBe(expected);
  });

  test.each([
    ['rateLimitExceeded', "Quota 'Queries per minute' exceeded. Limit: 1500.0", 'Throttled'],
    [
      'forbidden',
      "Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute per region' of service 'compute.googleapis.com'",
      'Throttled',
    ],
    [
      'quotaExceeded',
      "Quota exceeded for quota group 'ReadGroup' and limit 'Read requests per 100 seconds' of service 'compute.googleapis.com'",
      'Throttled',
    ],
    ['forbidden', "Quota 'CPUS' exceeded. Limit: 24.0 in region europe-west1.", 'CapacityUnavailable'],
    ['quotaExceeded', 'the region has no room left', 'CapacityUnavailable'],
  ] as const)('about the rate of calls is not one about a quota of resources: %s, %s', (reason, message, expected) => {
    expect(codeOf(http(403, reason, message))).toBe(expected);
  });

  test('tells how long to wait', () => {
    expect(toNodeferryError(http(429, 'rateLimitExceeded', 'no', { 'retry-after': '7' }), call).retryAfterMs).toBe(
      7_000,
    );
    const headers = new Headers({ 'retry-after': '2' });
    expect(toNodeferryError(http(503, 'backendError', 'no', headers), call).retryAfterMs).toBe(2_000);
  });
});

test('no answer at all is ProviderUnavailable', () => {
  expect(codeOf(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))).toBe(
    'ProviderUnavailable',
  );
});

describe('a certificate that is not trusted is no outage', () => {
  test.each([
    ['self-signed certificate in certificate chain', ''],
    ['self-signed certificate', ''],
    ['unable to get local issuer certificate', ''],
    [
      'unable to verify the first certificate',
      '; if the root CA is installed locally, try running Node.js with --use-system-ca',
    ],
  ])('%s', (why, advice) => {
    const said = `request to https://compute.example.com/ failed, reason: ${why}`;
    expect(toNodeferryError(new Error(`${said}${advice}`), call).problem).toMatchObject({
      code: 'ProviderRefused',
      message: `pool prod/web: container.clusters.update: the certificate of the server is not trusted: ${said}`,
    });
  });

  test('and of all that gRPC says about it, only the reason is told', () => {
    const again = '[{message: 14 UNAVAILABLE: No connection established. Last error: Error: ';
    const why =
      "Hostname/IP does not match certificate's altnames: Host: gke.example.com. is not in the cert's altnames: DNS:example.com";
    const said = `4 DEADLINE_EXCEEDED: Total timeout of API x exceeded 1000 milliseconds retrying error Error: 14 UNAVAILABLE: No connection established. Last error: Error: ${why}. Resolution note:   before any response was received. : Previous errors : ${again}${why}. Resolution note: , code: 14}]`;
    expect(toNodeferryError(rpc(4, said), call).problem.message).toBe(
      `pool prod/web: container.clusters.update: the certificate of the server is not trusted: ${why}`,
    );
  });

  test('but an answer that speaks of one is an answer', () => {
    expect(toNodeferryError(rpc(3, '3 INVALID_ARGUMENT: self-signed certificate'), call).problem.hint).toBeUndefined();
    expect(codeOf(http(503, 'backendError', 'self-signed certificate'))).toBe('ProviderUnavailable');
  });
});
