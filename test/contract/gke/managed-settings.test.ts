/** Labels and taints that GKE gives the nodes of a pool itself: it tells them with those of the owner, and refuses some of them. */
import './tls-roots.ts';
import { describe, expect, test } from 'vitest';
import { openBench, poolIn, seededPools, target } from './support.ts';

const ownTaint = { key: 'nvidia.com/gpu', value: 'present', effect: 'NO_SCHEDULE' as const };
const armTaint = { key: 'kubernetes.io/arch', value: 'arm64', effect: 'NO_SCHEDULE' as const };
const [web] = seededPools;

const openPool = async (config: object) =>
  await openBench({ pools: [{ ...web, config: { ...web.config, ...config } }] });
const replacementOf = async ({ pools, web: source, gcp }: Awaited<ReturnType<typeof openBench>>) => {
  await pools.replacement.createPool({ source, target, size: 2, run: 'run-1', token: 'run-1/surge' });
  const { labels, taints, sandboxConfig } = poolIn(gcp, 'web-new').spec.config ?? {};
  return { labels: Object.keys(labels ?? {}), taints: taints ?? [], sandboxConfig };
};

describe('a pool of GKE Sandbox', () => {
  const sandbox = { sandboxConfig: { type: 'GVISOR' as const }, taints: [ownTaint] };

  test('gets a replacement that names neither the label nor the taint of GKE, but those of its owner', async () => {
    const bench = await openPool(sandbox);
    const { labels, taints, sandboxConfig } = await replacementOf(bench);
    expect(sandboxConfig).toEqual({ type: 'GVISOR' });
    expect(labels).toEqual(['tier', 'nodeferry.dev/autoscaling']);
    expect(taints).toEqual([ownTaint]);
  });

  test('is suspended and restored, which changes labels of its nodes', async () => {
    const { pools, web: ref, gcp } = await openPool(sandbox);
    const token = await pools.scaling.suspend(ref);
    await pools.scaling.restore(ref, token);
    expect(poolIn(gcp, 'web').spec.config?.labels).toEqual({ tier: 'web' });
    expect((await pools.describePool(ref)).labels).toMatchObject({ 'sandbox.gke.io/runtime': 'gvisor' });
  });
});

describe('a pool of Arm nodes', () => {
  test('gets a replacement to which GKE adds its taint again', async () => {
    expect((await replacementOf(await openPool({ machineType: 'c4a-standard-4' }))).taints).toEqual([]);
  });

  test('that is to have no such taint keeps one that its owner has set', async () => {
    const taintConfig = { architectureTaintBehavior: 'NONE' as const };
    const config = { machineType: 'c4a-standard-4', taintConfig, taints: [armTaint] };
    expect((await replacementOf(await openPool(config))).taints).toEqual([armTaint]);
  });
});
