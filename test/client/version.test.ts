import { expect, test } from 'vitest';
import { renderVersions, type Versions, warnOfVersions } from '../../client/commands/version.ts';
import { versionOfWorker, workerIdentity } from '../../core/connection/worker-identity.ts';

const own: Versions = { version: '0.2.0', node: 'v24.1.0' };
const server = { address: 'temporal:7233', version: '1.31.0' };
const worker = (version: string) => ({ identity: workerIdentity(version, 7, 'host'), version });

test('the identity of a worker contains its version, other identities do not', () => {
  expect(versionOfWorker(workerIdentity('0.2.0', 7, 'host'))).toBe('0.2.0');
  expect(versionOfWorker('7@host')).toBeUndefined();
});

test('everything that answers is listed, one per line', () => {
  expect(renderVersions({ ...own, server, workers: [worker('0.2.0'), { identity: '7@host' }] })).toEqual([
    'nodeferry 0.2.0 (Node.js v24.1.0)',
    'Temporal server 1.31.0 at temporal:7233',
    'worker 0.2.0 (nodeferry 0.2.0 7@host)',
    'worker of an unknown version (7@host)',
  ]);
  expect(renderVersions({ ...own, server, workers: [] }).at(-1)).toBe(
    'no worker has asked for work within the last minutes',
  );
  const problem = { code: 'TemporalUnreachable', message: 'nothing listens there' } as const;
  expect(renderVersions({ ...own, problem })[1]).toBe('server: not known: nothing listens there');
});

test('there is a warning about workers of another version', () => {
  expect(warnOfVersions({ ...own, server, workers: [worker('0.2.0')] })).toEqual([]);
  expect(warnOfVersions({ ...own, server, workers: [worker('0.2.0'), worker('0.1.0'), { identity: 'x' }] })).toEqual([
    'warning: 2 of 3 workers are not of version 0.2.0, but 0.1.0, unknown: update whichever is older',
  ]);
});
