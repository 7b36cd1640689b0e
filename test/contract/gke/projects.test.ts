/** In which project a pool of GKE is looked for. */
import './tls-roots.ts';
import { beforeEach, expect, test } from 'vitest';
import { openGkePools } from '../../../wiring/gke-pools.ts';
import { type GkeBench, openBench } from './support.ts';

let bench: GkeBench;
beforeEach(async () => {
  bench = await openBench();
});

function openPools(project?: string) {
  const { gcp, cloudClock } = bench;
  return openGkePools({
    clock: { now: () => cloudClock.now(), sleep: async (ms) => cloudClock.advance(ms) },
    google: {
      gkeEndpoint: { host: 'localhost', port: gcp.gkePort },
      computeUrl: `${gcp.computeUrl}/`,
      ...(project === undefined ? {} : { project }),
    },
  });
}

test('that of the credentials, where neither the policy nor the environment names one', async () => {
  expect((await openPools().findPool(bench.web))?.ref).toEqual(bench.web);
});

test('that of the environment', async () => {
  await expect(openPools('shop-dev').findPool(bench.web)).rejects.toThrow('projects/shop-dev/');
});

test('that of the policy before all others', async () => {
  const elsewhere = { ...bench.web, locator: { project: 'shop-prod' } };
  const pools = openPools('lab-project');
  await expect(pools.findPool(elsewhere)).rejects.toThrow('projects/shop-prod/');
  expect((await pools.findPool(bench.web))?.ref).toEqual(bench.web);
});
