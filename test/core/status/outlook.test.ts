import { describe, expect, test } from 'vitest';
import { attemptOfRestore, type OwnedBy } from '../../../core/model/node.ts';
import { addObservation, canBeOurs, findOut, type Outlook, reachMs, untouched } from '../../../core/status/outlook.ts';
import { scenarioPolicy } from '../../simulator/scenario.ts';
import { aNode, aPod } from '../support/facts.ts';

const reach = 100_000;
const minute = 60_000;
const noPods = { pods: [] };
const released = { label: 'a', value: 'b', replicaSet: { name: 'r', uid: 'u' }, workload: 'Deployment default/web' };

describe('the excluded nodes', () => {
  test.each<[string, OwnedBy, readonly string[]]>([
    ['a node without marks', {}, []],
    ['a node that is cordoned alone', { cordonedBy: 'run-1' }, []],
    ['a node that another run has excluded', { excludedBy: 'run-2' }, []],
    ['a node out of its load balancers', { excludedBy: 'run-1' }, ['a']],
    ['a node whose leftover endpoints are being removed', { disruptedBy: 'run-1' }, ['a']],
    ['a node that a step acts on', { fence: { run: 'run-1', round: 1, step: 1, attempt: 1 } }, ['a']],
    ['a node that was restored', { fence: { run: 'run-1', round: 1, step: 1, attempt: attemptOfRestore } }, []],
  ])('%s', (_, ownership, out) => {
    expect(findOut({ nodes: [aNode('a', { ownership })], ...noPods }, 'run-1')).toEqual(out);
  });

  test.each([
    ['nothing', {}, []],
    ['a pod that was released', { released: { ...released, by: 'run-1' } }, ['a']],
    ['a pod that another run has released', { released: { ...released, by: 'run-2' } }, []],
    ['a pod that was removed from its endpoints', { endpointsRemoved: { by: 'run-1', originalLabels: {} } }, ['a']],
    ['a pod whose deletion cost was raised', { costRaisedBy: 'run-1' }, ['a']],
  ])('where there is %s', (_, ownership, out) => {
    const pods = [aPod('one', 'a', ownership)];
    expect(findOut({ nodes: [aNode('a')], pods }, 'run-1')).toEqual(out);
  });
});

describe('a lost request', () => {
  const out: Outlook = { seenAt: minute, outAt: minute, nodes: ['a'] };

  test.each<[string, Outlook, number, boolean]>([
    ['before anything was out', untouched, minute, false],
    ['while a node is out', out, minute, true],
    ['before a node was deregistered', out, minute - 1, true],
    ['when changes may still propagate', out, minute + reach, true],
    ['long after', out, minute + reach + 1, false],
  ])('%s', (_, known, at, ours) => {
    expect(canBeOurs(known, at, reach)).toBe(ours);
  });

  test('may be caused by the run when the cluster could not be observed', () => {
    const blind = addObservation({ seenAt: minute, nodes: [] }, { at: 2 * minute, out: undefined }, reach);
    expect(blind).toEqual({ seenAt: minute, outAt: 2 * minute, nodes: [] });
    expect(canBeOurs(blind, 2 * minute, reach)).toBe(true);
  });

  test('and so may one after a period without observations', () => {
    const late = addObservation({ seenAt: minute, nodes: [] }, { at: 2 * minute, out: [] }, reach);
    expect(canBeOurs(late, 2 * minute, reach)).toBe(true);
    const inTime = addObservation({ seenAt: minute, nodes: [] }, { at: minute + 10_000, out: [] }, reach);
    expect(canBeOurs(inTime, minute + 10_000, reach)).toBe(false);
  });

  test('and the excluded nodes are remembered as long as it matters', () => {
    const after = addObservation(out, { at: minute + 10_000, out: [] }, reach);
    expect(after).toEqual({ ...out, seenAt: minute + 10_000 });
    expect(addObservation(after, { at: minute + 20_000, out: undefined }, reach).nodes).toEqual(['a']);
    expect(addObservation(after, { at: minute + 2 * reach, out: undefined }, reach).nodes).toEqual([]);
  });
});

test('an action has effects for as long as the slowest load balancer and the slowest probe take', () => {
  const policy = scenarioPolicy();
  const probe = { name: 'web', urls: [], ratePerSecond: 1, timeoutMs: 7_000 };
  const { propagationMs, marginMs, deadlines } = policy.waits;
  const expected = Math.max(propagationMs, deadlines.deregistrationMs) + marginMs + 7_000;
  expect(reachMs({ ...policy, traffic: { ...policy.traffic, probes: [probe] } })).toBe(expected);
});
