/** INF-006: new nodes and their pods need free addresses in the subnets of the pool. */
import { describe, expect, test } from 'vitest';
import type { SubnetFacts } from '../../../core/model/pool.ts';
import { audit } from '../support/audited-pool.ts';
import { pods } from '../support/scene.ts';

/** Four nodes with a pod each: eight addresses, unless the pods have others. */
function find(
  free: readonly [number, number],
  changes: Parameters<typeof audit>[0] = {},
  ip = (n: number) => `10.0.1.${n}`,
) {
  const subnets: readonly SubnetFacts[] = [
    { name: 'subnet-a', zone: 'a', cidr: '10.0.1.0/24', free: free[0] },
    { name: 'subnet-b', zone: 'b', cidr: '10.0.2.0/24', free: free[1] },
  ];
  const addressed = pods.map((pod, n) => ({ ...pod, ips: [ip(n + 10)] }));
  return audit({ pods: addressed, pool: { subnets }, ...changes }).filter(({ rule }) => rule === 'INF-006');
}

describe('the free addresses of the subnets of a pool', () => {
  test('are too few when the new nodes and the pods of the old ones need more, with the numbers', () => {
    expect(find([4, 3])).toMatchObject([
      {
        severity: 'warning',
        subject: 'pool web',
        message:
          'its subnets have 7 addresses free (subnet-a in a: 4, subnet-b in b: 3), and 4 new nodes with the pods of the old ones need at least 8',
      },
    ]);
    expect(find([4, 4])).toEqual([]);
  });

  test.each([
    ['of other blocks', (n: number) => `10.0.3.${n}`],
    ['of IPv6', (n: number) => `2001:db8::${n}`],
  ])('are not taken by pods with addresses %s', (_, ip) => {
    expect(find([2, 2], {}, ip)).toEqual([]);
    expect(find([2, 1], {}, ip)).toHaveLength(1);
  });

  test('are not taken by pods in the network of their node', () => {
    const hosts = pods.map((pod) => ({ ...pod, hostNetwork: true, ips: ['10.0.1.9'] }));
    expect(find([2, 2], { pods: hosts })).toEqual([]);
  });

  test('have to be enough for one wave only', () => {
    const policy = { nodeSurge: { instances: 1 } };
    expect(find([1, 1], { policy })).toEqual([]);
    expect(find([1, 0], { policy })).toHaveLength(1);
  });

  test('are told of as unknown when nobody may read them, and not at all where no cloud is asked', () => {
    const subnetsUnread = 'ec2:DescribeSubnets: not allowed';
    const [unread] = audit({ pool: { subnetsUnread } });
    expect(unread).toMatchObject({
      rule: 'INF-006',
      severity: 'info',
      message: expect.stringContaining(subnetsUnread),
    });
    expect(audit()).toEqual([]);
  });
});
