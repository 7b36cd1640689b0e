import { describe, expect, test } from 'vitest';
import { scaleOf, workloadsOf } from '../../../core/guard/scale.ts';
import { aCluster, aPod, aService, aWorkload, released } from '../support/facts.ts';
import type { PodFacts, WorkloadFacts } from '../support/model.ts';

const pods = [aPod('web-1', 'n1'), aPod('web-2', 'n2')];
const web = aService('web', pods);

const scale = (workloads: readonly WorkloadFacts[], running: readonly PodFacts[] = pods, service = web) =>
  scaleOf(service, aCluster({ pods: running, workloads, services: [service] }));

describe('the workloads of a Service', () => {
  test('are those whose pods its selector matches', () => {
    const cluster = aCluster({
      workloads: [
        aWorkload('web', 2),
        aWorkload('canary', 1, { podLabels: { app: 'web', track: 'canary' } }),
        aWorkload('api', 3),
        aWorkload('web', 5, { namespace: 'other' }),
      ],
    });
    expect(workloadsOf(web, cluster).map(({ name }) => name)).toEqual(['web', 'canary']);
  });
});

describe('the scale of a Service', () => {
  test('is what its workloads are scaled to, whatever is there', () => {
    expect(scale([aWorkload('web', 12)])).toBe(12);
    expect(scale([aWorkload('web', 0)])).toBe(0);
    expect(scale([aWorkload('web', 2), aWorkload('canary', 1, { podLabels: { app: 'web' } })])).toBe(3);
  });

  test('counts pods that no known workload owns as they are', () => {
    const { workload: _workload, ...bare } = aPod('web-3', 'n3', { ownerKind: 'none' });
    expect(scale([aWorkload('web', 2)], [...pods, bare])).toBe(3);
    expect(scale([], pods)).toBe(2);
  });

  test('does not count released pods, whose replacements it counts', () => {
    const pods = [aPod('web-1', 'n1', released('web-1', 'run')), aPod('web-2', 'n1')];
    const cluster = aCluster({ pods, workloads: [aWorkload('web', 2)] });
    expect(scaleOf(aService('web', pods), cluster)).toBe(2);
    expect(scaleOf(aService('web', pods), aCluster({ pods }))).toBe(2);
  });

  test('does not count pods that are terminating, or have ended', () => {
    const { workload: _workload, ...bare } = aPod('web-3', 'n3');
    const gone = [
      { ...bare, terminating: true },
      { ...bare, phase: 'Failed' },
      { ...bare, phase: 'Succeeded' },
    ] as const;
    expect(scale([], [...pods, ...gone])).toBe(2);
  });

  test('counts the pods of another template that the Service still selects until they are gone', () => {
    expect(scale([aWorkload('web', 2, { podLabels: { app: 'next' } })])).toBe(2);
  });

  test('without a selector is the number of endpoints that somebody wrote', () => {
    expect(scale([], [], aService('web', pods, { selector: {} }))).toBe(2);
  });

  test('is not known when nothing matches its selector', () => {
    expect(scale([aWorkload('web', 2)], pods, aService('web', [], { selector: { app: 'wbe' } }))).toBeUndefined();
  });
});
