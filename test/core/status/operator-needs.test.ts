import { expect, test } from 'vitest';
import { explainNeeds, type OperatorNeeds } from '../../../core/status/operator-needs.ts';

const stalled = { code: 'DeadlineExceeded', message: 'nodes to be ready: timed out after 20 min' };
const paused = { by: 'ann', reason: 'latency has risen', at: 0 };

test.each<[needs: OperatorNeeds, says: string]>([
  [{ stalled }, 'stalled: nodes to be ready: timed out after 20 min (DeadlineExceeded)'],
  [{ paused }, 'paused by ann: latency has risen'],
  [{ approval: { of: 'zone eu-west-1b', since: 0 } }, 'waits for approval of zone eu-west-1b'],
  [
    { paused, stalled },
    'stalled: nodes to be ready: timed out after 20 min (DeadlineExceeded); paused by ann: latency has risen',
  ],
])('why a run waits for an operator is said in words', (needs, says) => {
  expect(explainNeeds(needs)).toBe(says);
});
