/** Whose certificate the AWS clients accept: the other tests call over TLS as well, with one that is trusted. */
import { afterEach, expect, test } from 'vitest';
import { createEksNodePools } from '../../../adapters/eks/node-pools.ts';
import { otherAuthority } from '../cases/other-authority.ts';
import { problemOf } from '../cases/refusal.ts';
import { type AwsBench, openBench, pointSdkAt } from './support.ts';

let bench: AwsBench;
afterEach(() => bench.close());

test('the adapters call over TLS', async () => {
  bench = await openBench();
  expect(bench.aws.url).toMatch(/^https:/);
  expect(await createEksNodePools({ clock: bench.clock }).findPool(bench.web)).toBeDefined();
});

test('of another authority: AWS is not asked, once and for all', async () => {
  bench = await openBench({ tls: otherAuthority });
  const pools = createEksNodePools({ clock: bench.clock });
  const why = 'the certificate of the server is not trusted: unable to verify the first certificate';

  expect(await problemOf(pools.describePool(bench.web))).toEqual({
    code: 'ProviderRefused',
    message: `pool prod/web: eks:DescribeNodegroup: ${why}`,
    hint: expect.stringContaining('into the file of NODE_EXTRA_CA_CERTS'),
  });
  expect(bench.aws.requests).toEqual([]);
});

test('for another host: AWS is not asked', async () => {
  bench = await openBench();
  // An address that leads to the server, and that its certificate does not name.
  pointSdkAt(bench.aws.url.replace('127.0.0.1', '0.0.0.0'));
  const pools = createEksNodePools({ clock: bench.clock });

  expect(await problemOf(pools.describePool(bench.web))).toMatchObject({
    code: 'ProviderRefused',
    message: expect.stringContaining("IP: 0.0.0.0 is not in the cert's list: 127.0.0.1"),
  });
  expect(bench.aws.requests).toEqual([]);
});
