import { describe, expect, test } from 'vitest';
import {
  type EvictPodsCheckpoint,
  type ExcludeCheckpoint,
  type PodSurgeCheckpoint,
  readCapacityWait,
  readDismissal,
  readEndpointRemoval,
  readEvictPods,
  readEvictReleased,
  readExclude,
  readExcluded,
  readGoneSince,
  readMoves,
  readOutlook,
  readPodSurge,
  readPodTimes,
  readProgress,
  readRestore,
  readTerminate,
} from '../../../core/status/checkpoint.ts';
import { aNode, nodeRefOf } from '../support/facts.ts';

const times = { removedAt: { a: 1 }, staleSince: { b: 2 }, unreadySince: { c: 3 }, drainedAt: { d: 4 } };
const rejected = { a: { message: 'too busy', againAt: 5, byBudget: true } };
const externalChanges = [{ at: 1, what: 'somebody uncordoned n1' }];
const blocked = [{ pod: 'default/web-1', budget: undefined, needs: 0, has: 0, since: 7, reason: 'held' }];

/** As heartbeat details travel. */
const overTheWire = (checkpoint: object): unknown => JSON.parse(JSON.stringify(checkpoint));

describe('what an attempt records is read as it was written', () => {
  test('of emptying a node', () => {
    const left: EvictPodsCheckpoint = {
      ...times,
      returns: { 'default/agent': { times: 2, uids: ['x'] } },
      begun: true,
      revokedSince: 9,
      rejected,
      unprotected: ['pod default/web-1 left'],
      blocked,
      externalChanges,
    };
    expect(readEvictPods(overTheWire(left))).toEqual(left);
  });

  test('of pod surge', () => {
    const dismissed = { ...times, goneSince: { d: 4 }, rejected };
    const left: PodSurgeCheckpoint = {
      batch: [nodeRefOf(aNode('n1'))],
      aside: { n2: 'n2 is not sent anything' },
      evictedInstead: [{ workload: 'default/web', reason: 'quota' }],
      lateSince: { 'default/web': 3 },
      wasDone: true,
      dismissed,
      places: { ...times, moves: { 'default/web': 1 }, rejected },
    };
    expect(readPodSurge(overTheWire(left))).toEqual(left);
  });

  test('of selecting the next node', () => {
    const left: ExcludeCheckpoint = {
      baselines: [{ service: 'default/web', targets: 4, endpoints: 4, missing: 0, zones: ['a'], unreached: { p: 1 } }],
      dismissed: { ...times, goneSince: {}, rejected: {} },
      externalChanges,
    };
    expect(readExclude(overTheWire(left))).toEqual(left);
  });

  test('of all other steps', () => {
    const kept = { labelledAt: 1, removedAt: 2, revokedSince: 3, externalChanges };
    expect(readExcluded(overTheWire({ kept, deregisteredAt: 4 }))).toEqual({ kept, deregisteredAt: 4 });
    expect(readTerminate({ asked: true, terminatedAt: 4 })).toEqual({ asked: true, terminatedAt: 4 });
    expect(readRestore(overTheWire({ ...times, rejected, blocked }))).toEqual({
      ...times,
      rejected,
      blocked,
    });
    expect(readGoneSince({ goneSince: { a: 1 } })).toEqual({ a: 1 });
    const capacityWait = { since: 1, ready: 2, seenAt: 3 };
    expect(readCapacityWait({ capacityWait })).toEqual(capacityWait);
    expect(readOutlook({ outlook: { seenAt: 1, nodes: ['n1'] } })).toEqual({ seenAt: 1, nodes: ['n1'] });
    const released = { ...times, goneSince: { d: 4 }, rejected, blocked };
    expect(readEvictReleased(overTheWire(released))).toEqual(released);
  });

  test('of every wait', () => {
    const progress = {
      reason: 'pods',
      since: 1,
      until: 2,
      seenAt: 3,
      blocked,
      traffic: { sent: 1, lost: 0, slow: 0 },
      checkpoint: { x: 1 },
    };
    expect(readProgress(overTheWire(progress))).toEqual(progress);
  });
});

describe('what cannot be read counts as absent', () => {
  const readers = [
    readEvictPods,
    readPodSurge,
    readExclude,
    readExcluded,
    readTerminate,
    readRestore,
    readGoneSince,
    readCapacityWait,
    readOutlook,
    readDismissal,
    readEvictReleased,
    readMoves,
    readPodTimes,
    readEndpointRemoval,
    readProgress,
  ] as const;
  const garbage: readonly unknown[] = [undefined, null, 'text', 7, [], [1, 2], new Date(0)];

  test.each(readers)('%o reads garbage as nothing', (read) => {
    const anew = read({});
    for (const one of garbage) expect(read(one)).toEqual(anew);
  });

  test('field by field: what is beside it stays', () => {
    const left = {
      removedAt: { a: 1, b: 'yesterday', c: null },
      staleSince: 'never',
      begun: 'yes',
      revokedSince: '12',
      returns: { x: { times: 2 }, y: { times: 1, uids: ['u'] } },
      rejected: { a: { message: 'busy' }, b: { message: 'busy', againAt: 4 } },
      externalChanges: [{ at: 1 }],
      blocked: 'all',
    };
    expect(readEvictPods(left)).toEqual({
      removedAt: { a: 1 },
      staleSince: {},
      unreadySince: {},
      drainedAt: {},
      begun: false,
      returns: { y: { times: 1, uids: ['u'] } },
      rejected: { b: { message: 'busy', againAt: 4 } },
      unprotected: [],
      externalChanges: [],
      blocked: [],
    });
  });

  test('a list of which one entry is broken is not trusted at all', () => {
    const baseline = { service: 'default/web', targets: 4, endpoints: 4, missing: 0, zones: [] };
    expect(readExclude({ baselines: [baseline, {}] })).not.toHaveProperty('baselines');
    expect(readPodSurge({ batch: [{ name: 'n1' }] })).not.toHaveProperty('batch');
  });
});
