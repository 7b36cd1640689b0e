import { pino } from 'pino';
import { expect, test } from 'vitest';
import { NodeferryError } from '../../core/model/problem.ts';
import type { ClusterFacts } from '../../core/model/serving.ts';
import { logLeftovers } from '../../worker/log-leftovers.ts';
import { aCluster, aNode } from '../core/support/facts.ts';

async function told(observe: () => Promise<ClusterFacts>): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  await logLeftovers({ observe }, logger);
  return lines;
}

test('a worker says which runs the leftovers belong to, and nothing without leftovers', async () => {
  const marked = aNode('n1', { ownership: { cordonedBy: 'r2', excludedBy: 'r1' } });
  expect(await told(async () => aCluster({ nodes: [marked] }))).toMatchObject([{ runs: ['r1', 'r2'] }]);
  expect(await told(async () => aCluster({ nodes: [aNode('n1')] }))).toEqual([]);
});

test('a cluster that can not be reached does not keep it from starting', async () => {
  const away = new NodeferryError({ code: 'ClusterUnreachable', message: 'away' });
  expect(await told(async () => await Promise.reject(away))).toMatchObject([
    { problem: { code: 'ClusterUnreachable' } },
  ]);
});
