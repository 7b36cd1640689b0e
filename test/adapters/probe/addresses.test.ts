import { expect, test } from 'vitest';
import { resolveTargets } from '../../../adapters/probe/addresses.ts';

const url = new URL('http://web.example/');

test('a probe goes to every address of its host', async () => {
  const found = await resolveTargets([url], async () => [
    { address: '10.0.0.1', family: 4 },
    { address: '10.0.0.2', family: 4 },
  ]);
  expect(found.map(({ address }) => address)).toEqual(['10.0.0.1', '10.0.0.2']);
});

test.each(['169.254.169.254', 'fe80::1', 'fd00:ec2::254', '::ffff:169.254.169.254'])(
  'a name that leads to %s is not followed',
  async (address) => {
    const found = await resolveTargets([url], async () => [{ address, family: address.includes(':') ? 6 : 4 }]);
    expect(found).toEqual([{ url, address: undefined }]);
  },
);
