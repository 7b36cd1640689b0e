import { describe, expect, test } from 'vitest';
import {
  connectionDrainMs,
  evictionReactionMs,
  forwardedAge,
  maxConnectionDrainMs,
  podToHealthyMs,
  terminationNotBefore,
} from '../../../core/waits/formulas.ts';
import { aGroup, anObservation, aPolicy, aService } from '../support/facts.ts';

const policy = aPolicy();
const nlb = (changes: Parameters<typeof aGroup>[2] = {}) => aGroup('web', [], changes);

test('the reaction time to a failing health check of a Network Load Balancer with the defaults of its cloud', () => {
  // 3 s endpoints + (3+1)·30 s + 40 s until it sends no more
  const slow = { ...nlb().healthCheck, intervalMs: 30_000, timeoutMs: 10_000, unhealthyThreshold: 3 };
  expect(evictionReactionMs(nlb({ unhealthyLagMs: 40_000, healthCheck: slow }), policy.waits)).toBe(163_000);
});

test('a pod becomes healthy at most one health check after its threshold', () => {
  expect(podToHealthyMs(nlb(), policy.waits)).toBe(33_000);
});

describe('the wait between deregistration and eviction', () => {
  test.each([
    ['is the deregistration delay when that is longer', nlb(), policy, 315_000],
    ['is the propagation when that is longer', nlb({ deregistrationDelayMs: 120_000 }), policy, 195_000],
    ['drops the delay with its rule', nlb(), aPolicy({ disabledRules: ['wait-for-deregistration'] }), 195_000],
    [
      'drops the propagation with its rule',
      nlb({ deregistrationDelayMs: 0 }),
      aPolicy({ disabledRules: ['wait-for-propagation'] }),
      0,
    ],
  ])('%s', (_, group, rules, expected) => {
    expect(connectionDrainMs([group], rules)).toBe(expected);
  });

  test('is zero without a load balancer, and the longest of several', () => {
    expect(connectionDrainMs([], policy)).toBe(0);
    expect(connectionDrainMs([nlb({ deregistrationDelayMs: 0 }), nlb()], policy)).toBe(315_000);
  });

  test('follows the present settings of the load balancers, and is the longest of all Services', () => {
    const observation = (...delays: readonly number[]) =>
      anObservation(
        { services: delays.map((_, index) => aService(`app${index}`, [])) },
        delays.map((deregistrationDelayMs, index) => aGroup(`app${index}`, [], { deregistrationDelayMs })),
      );
    expect(maxConnectionDrainMs(observation(300_000, 600_000), policy)).toBe(615_000);
    expect(maxConnectionDrainMs(observation(300_000, 200_000), policy)).toBe(315_000);
    expect(maxConnectionDrainMs(observation(), policy)).toBe(0);
  });
});

describe('connections that a node forwards', () => {
  const aged = aPolicy({ waits: { ...policy.waits, maxConnectionAgeMs: { '*': 300_000, 'default/api': 40_000 } } });
  const cut = nlb({ terminatesConnectionsAfterDelay: true });

  test.each([
    ['do not exist under policy Local', 'default/web', 'Local', [nlb()], aged, { ms: 0, endedBy: 'none' }],
    ['do not exist without a load balancer', 'default/web', 'Cluster', [], aged, { ms: 0, endedBy: 'none' }],
    ['have the age of their Service', 'default/api', 'Cluster', [nlb()], aged, { ms: 40_000, endedBy: 'age' }],
    ['have the general age else', 'default/web', 'Cluster', [nlb()], aged, { ms: 300_000, endedBy: 'age' }],
    [
      'may be cut by the load balancer',
      'default/web',
      'Cluster',
      [cut],
      policy,
      { ms: 300_000, endedBy: 'load-balancer' },
    ],
    [
      'have no known end when one group does not cut',
      'default/web',
      'Cluster',
      [cut, nlb()],
      policy,
      { ms: 300_000, endedBy: 'unknown' },
    ],
    [
      'have no known end where nobody says that it cuts',
      'default/web',
      'Cluster',
      [nlb({ deregistrationDelayMs: 0, terminatesConnectionsAfterDelay: 'unknown' })],
      policy,
      { ms: 0, endedBy: 'unknown' },
    ],
  ] as const)('%s', (_, service, traffic, groups, rules, expected) => {
    expect(forwardedAge(service, traffic, groups, rules)).toEqual(expected);
  });

  test('are waited for from the last new connection, unless the rule is off', () => {
    const observation = (externalTrafficPolicy: 'Local' | 'Cluster') =>
      anObservation({ services: [aService('api', [], { externalTrafficPolicy })] }, [aGroup('api', [])]);
    const unruled = { ...aged, disabledRules: ['wait-for-forwarded-connections'] } as const;
    expect(terminationNotBefore(observation('Cluster'), 1000, aged)).toBe(1000 + 180_000 + 40_000 + 15_000);
    expect(terminationNotBefore(observation('Cluster'), 1000, unruled)).toBe(1000);
    expect(terminationNotBefore(observation('Local'), 1000, aged)).toBe(1000);
  });
});
