/** What observations have agreed on counts for as long as they follow each other, and for no node that has been excluded since. */
import { expect, test } from 'vitest';
import { createAgreements } from '../../activities/agreements.ts';
import { aPolicy, nodeRefOf, withMinServing } from '../core/support/facts.ts';
import { factsOf, learned, nodes } from '../core/support/scene.ts';

const policy = aPolicy(withMinServing(1, { maxInFlight: 10 }));
const { stabilizationMs, pollIntervalMs } = policy.waits;
const waiting = nodes.map(nodeRefOf);

/** Observations that allow three of four nodes to go, each at that time (epoch ms). */
async function observeAt(...times: readonly number[]) {
  const agreements = createAgreements();
  const observe = async (at: number) => {
    const facts = { ...factsOf(), observedAt: at };
    await agreements.observe('r1', at, { facts, policy, baselines: learned(facts, policy), inFlight: [], waiting });
  };
  for (const at of times) await observe(at);
  return { agreements, observe };
}

test('nodes keep the time since when observations have agreed on them', async () => {
  const { agreements } = await observeAt(1_000, 1_000 + pollIntervalMs);
  expect(agreements.of('r1')).toEqual({ n1: 1_000, n2: 1_000, n3: 1_000 });
  expect(agreements.of('r2')).toEqual({});
});

test('after a gap the next observation is the first one', async () => {
  const longest = stabilizationMs + 2 * pollIntervalMs;
  const { agreements, observe } = await observeAt(0, longest);
  expect(agreements.of('r1')).toMatchObject({ n1: 0 });
  const late = 2 * longest + 1;
  await observe(late);
  expect(agreements.of('r1')).toEqual({ n1: late, n2: late, n3: late });
});

test('a node that was refused, or excluded and comes back, begins again, the others go on', async () => {
  const { agreements, observe } = await observeAt(0);
  const [first] = waiting;
  if (first === undefined) throw new Error('no node');
  agreements.refuse('r1', first);
  await observe(pollIntervalMs);
  expect(agreements.of('r1')).toEqual({ n1: pollIntervalMs, n2: 0, n3: 0 });
});
