import { describe, expect, test } from 'vitest';
import {
  explainAddress,
  explainConnection,
  explainRefusal,
  explainSettings,
} from '../../../core/connection/explain-connection.ts';

const place = { address: 'temporal:7233', namespace: 'ops' };

describe('an address', () => {
  test.each(['localhost', 'localhost:7233', '10.0.0.1:7233', '[::1]:7233', 'ns.acct.tmprl.cloud:7233'])(
    '%s is valid',
    (address) => expect(explainAddress(address)).toBeUndefined(),
  );

  test.each([
    ['http://localhost:7233', 'localhost:7233.'],
    ['https://temporal.example.com/', 'temporal.example.com:7233.'],
    ['', 'temporal.example.com:7233.'],
    ['host:99999', ''],
    ['user:secret@host:7233', 'temporal.example.com:7233.'],
  ])('%s is refused with an example', (address, example) => {
    const problem = explainAddress(address);
    expect(problem?.code).toBe('InvalidArgument');
    expect(problem?.message).toContain('is not HOST:PORT');
    expect(problem?.hint).toContain(example);
  });
});

test('a failed connection is explained, with a fix', () => {
  const fault = { kind: 'unknown-authority', detail: 'self-signed certificate in certificate chain' } as const;
  expect(explainConnection('temporal:7233', fault, 'timeout')).toEqual({
    code: 'TemporalUnreachable',
    message:
      'No Temporal server answers at temporal:7233: its certificate is signed by an unknown authority (self-signed certificate in certificate chain).',
    hint: 'Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of the authority.',
  });
  expect(explainConnection('temporal:7233', undefined, 'Failed to connect\nstack').message).toBe(
    'No Temporal server answers at temporal:7233: Failed to connect.',
  );
});

test('settings that cannot be read are explained in one line', () => {
  expect(explainSettings("Profile 'prod' not found in config data").message).toContain("TEMPORAL_PROFILE is 'prod'");
  expect(explainSettings('Invalid TOML document: x\n\n1: a b\n   ^').message).toBe(
    "The settings of the connection to Temporal can't be read: Invalid TOML document: x",
  );
});

describe('a rejected call', () => {
  test.each([
    [5, 'Namespace ops is not found.', 'InvalidArgument', /has no namespace ops/],
    [16, 'unauthorized', 'Forbidden', /refuses this caller in namespace ops: unauthorized/],
    [7, 'Request unauthorized.', 'Forbidden', /refuses this caller/],
    [9, 'Unable to query workflow due to Workflow Task in failed state.', 'TemporalUnreachable', /takes no command/],
    [
      3,
      'Namespace ops has no mapping defined for search attribute NodeferryPool',
      'InvalidArgument',
      /search attributes/,
    ],
  ])('status %i: %s', (code, details, problem, message) => {
    expect(explainRefusal(place, { code, details })).toMatchObject({
      code: problem,
      message: expect.stringMatching(message) as unknown,
    });
  });

  test.each([
    [5, 'workflow not found for ID: pool-upgrade/a/b'],
    [3, 'Blob data size exceeds limit'],
    [9, 'schedule is paused'],
    [14, 'unavailable'],
  ])('status %i: %s has another cause', (code, details) => {
    expect(explainRefusal(place, { code, details })).toBeUndefined();
  });
});
