import { describe, expect, test } from 'vitest';
import { decideAdoption, decideUpkeep, explainAdoption } from '../../../core/pod-surge/adoption.ts';
import { aCluster, aPod, aWorkload, released } from '../support/facts.ts';
import type { PodFacts, WorkloadFacts } from '../support/model.ts';

const web = aWorkload('web', 2);

function leaving(name: string, wants: number | 'gone' = 2, changes: Partial<PodFacts> = {}): PodFacts {
  const pod = aPod(name, 'n1', { ...released(name, 'r1'), ...changes });
  const from = present(pod.released);
  return { ...pod, released: { ...from, ...(wants === 'gone' ? {} : { wants }) } };
}

function told(pods: readonly PodFacts[], workloads: readonly WorkloadFacts[] = [web]) {
  const { actions, stays, awaited } = decideAdoption(aCluster({ pods, workloads }), 'r1');
  return {
    actions: actions.map(({ kind, pod }) => `${kind} ${pod.name}`),
    stays: stays.map(({ pod, reason }) => `${pod.name}: ${reason}`),
    settling: awaited.length > 0,
  };
}

/** Returned, and not yet adopted by its ReplicaSet. */
const {
  ownerSelector: _,
  workload: __,
  ...orphan
} = aPod('web-1', 'n1', {
  ownerKind: 'none',
  ownerName: '',
  costRaisedBy: 'r1',
});

const pending = { node: undefined, ready: false, phase: 'Pending' } as const;

describe('released pods return to their ReplicaSets', () => {
  test('none where nothing was released, or by another run', () => {
    const none = { actions: [], stays: [], settling: false };
    expect(told([aPod('web-1', 'n1')])).toEqual(none);
    const theirs = leaving('web-1');
    const by = { ...theirs, released: { ...present(theirs.released), by: 'r2' } };
    expect(told([by])).toEqual(none);
    expect(told([leaving('web-1', 2, { terminating: true })])).toEqual(none);
  });

  test('all of them before their replacements run, with a higher deletion cost than these', () => {
    const pods = [leaving('web-1'), leaving('web-2'), aPod('web-3', undefined, pending), aPod('web-4', 'n9', pending)];
    expect(told(pods).actions).toEqual([
      'raiseDeletionCost web-1',
      'raiseDeletionCost web-2',
      'adopt web-1',
      'adopt web-2',
    ]);
  });

  test('only those on the nodes that are asked for', () => {
    const pods = [leaving('web-1'), leaving('web-2', 2, { node: 'n2' }), aPod('web-3', undefined, pending)];
    const { actions } = decideAdoption(aCluster({ pods, workloads: [web] }), 'r1', { nodes: ['n2'] });
    expect(actions.map(({ kind, pod }) => `${kind} ${pod.name}`)).toEqual(['adopt web-2']);
  });

  test('without a raised deletion cost when their ReplicaSet then has none too many', () => {
    expect(told([leaving('web-1'), aPod('web-2', 'n1')]).actions).toEqual(['adopt web-1']);
  });

  test('together with pods that were never released, whose deletion cost is raised too', () => {
    const pods = [leaving('web-1'), aPod('web-2', 'n1'), aPod('web-3', undefined, pending)];
    expect(told(pods).actions).toEqual(['raiseDeletionCost web-1', 'raiseDeletionCost web-2', 'adopt web-1']);
  });

  test('only as many as possible without deleting a serving replacement, serving ones first', () => {
    const pods = [leaving('web-1', 2, { ready: false }), leaving('web-2'), aPod('web-3', 'n9')];
    const { actions, stays } = told(pods);
    expect(actions).toEqual(['adopt web-2']);
    expect(stays).toEqual(['web-1: Deployment default/web has as many serving pods as it wants']);
  });

  test('no more than their ReplicaSet lacks, counting those not adopted yet', () => {
    const { actions, settling } = told([orphan, leaving('web-2'), aPod('web-3', 'n9')]);
    expect(actions).toEqual([]);
    expect(settling).toBe(true);
  });

  test('not in place of a pod that is removed from its endpoints and still owned', () => {
    const endpointsRemoved = { by: 'r1', originalLabels: { serves: 'yes' } };
    expect(told([leaving('web-1'), aPod('web-2', 'n8', { endpointsRemoved }), aPod('web-3', 'n9')]).actions).toEqual(
      [],
    );
    const left = { endpointsRemoved, labels: { 'pod-template-hash': 'x' } };
    expect(told([leaving('web-1'), aPod('web-2', 'n8', left), aPod('web-3', 'n9')]).actions).toEqual(['adopt web-1']);
  });

  test('and keep their raised deletion cost until the returned pods are adopted', () => {
    const others = [aPod('web-2', 'n1', { costRaisedBy: 'r1' }), aPod('web-3', undefined, pending)];
    expect(told([orphan, ...others])).toEqual({ actions: [], stays: [], settling: true });
    expect(told([orphan])).toMatchObject({ actions: ['restoreDeletionCost web-1'], settling: false });
  });

  test('not to a version that is not wanted any more', () => {
    for (const wants of [0, 'gone'] as const)
      expect(told([leaving('web-1', wants)])).toEqual({
        actions: [],
        stays: ['web-1: Deployment default/web has rolled out another version and wants no pod of web-rs any more'],
        settling: false,
      });
  });

  test('to a ReplicaSet whose Deployment is gone for a moment, but not if the ReplicaSet is gone too', () => {
    expect(told([leaving('web-1'), leaving('web-2')], []).actions).toEqual(['adopt web-1', 'adopt web-2']);
    const nothing = { actions: [], stays: [], settling: false };
    expect(told([leaving('web-1', 'gone'), leaving('web-2', 'gone')], [])).toEqual(nothing);
  });

  test('and get their old deletion cost back once their ReplicaSet has reacted', () => {
    const owned = { ownerWants: 2 };
    const raised = [1, 2].map((index) => aPod(`web-${index}`, 'n1', { ...owned, costRaisedBy: 'r1' }));
    const surplus = aPod('web-3', 'n9', owned);
    expect(told([...raised, surplus])).toEqual({ actions: [], stays: [], settling: true });
    const settled = { actions: ['restoreDeletionCost web-1', 'restoreDeletionCost web-2'], stays: [], settling: false };
    expect(told(raised)).toEqual(settled);
    expect(told([...raised, { ...surplus, terminating: true }])).toEqual(settled);
    expect(told(raised, [])).toEqual(settled);
  });

  test('regardless of failed and finished pods, which no ReplicaSet counts', () => {
    const owned = { ownerWants: 2 };
    const failed = aPod('web-0', 'n1', { ...owned, ready: false, phase: 'Failed' });
    expect(told([failed, leaving('web-1'), aPod('web-2', 'n1', owned)]).actions).toEqual(['adopt web-1']);
    const raised = [1, 2].map((index) => aPod(`web-${index}`, 'n1', { ...owned, costRaisedBy: 'r1' }));
    expect(told([failed, ...raised])).toMatchObject({ settling: false });
    expect(told([failed, ...raised]).actions).toHaveLength(2);
    const ended = { phase: 'Failed', ready: false } as const;
    expect(told([leaving('web-1', 2, ended), ...raised.slice(1)]).actions[0]).toBe('adopt web-1');
  });

  test('by ReplicaSet, because that of a Deployment paused during a rollout has what it wants', () => {
    const old = [1, 2].map((index) => aPod(`web-${index}`, 'n1', { ownerWants: 2, costRaisedBy: 'r1' }));
    const fresh = aPod('web-3', 'n9', { ownerName: 'web-rs2', ownerWants: 1 });
    const paused = { ...web, paused: true };
    expect(told([...old, fresh], [paused])).toMatchObject({ settling: false });
  });

  test('and are named while the run waits for them', () => {
    const raised = [1, 2].map((index) => aPod(`web-${index}`, 'n1', { ownerWants: 1, costRaisedBy: 'r1' }));
    const explain = (pods: readonly PodFacts[]) =>
      explainAdoption(decideAdoption(aCluster({ pods, workloads: [web] }), 'r1'));
    expect(explain(raised)).toBe(
      'ReplicaSet default/web-rs has 2 pods, wants 1 and has yet to delete what is too many',
    );
    expect(explain([orphan, ...raised.slice(1)])).toBe('default/web-1 waits for its ReplicaSet to adopt it');
    expect(explain([leaving('web-1'), leaving('web-2')])).toBe(
      '2 pods returned or corrected a moment ago (default/web-1, default/web-2)',
    );
  });

  test('without an action when somebody has restored their label; only the annotation is removed', () => {
    const back = leaving('web-1', 2, {
      labels: { app: 'web', 'pod-template-hash': 'x' },
      ownerKind: 'ReplicaSet',
      ownerName: 'web-rs',
    });
    expect(told([back, aPod('web-2', 'n1')])).toEqual({ actions: ['adopt web-1'], stays: [], settling: false });
    const { actions } = decideUpkeep(aCluster({ pods: [back, leaving('web-2')], workloads: [web] }), 'r1');
    expect(actions.map(({ kind, pod }) => `${kind} ${pod.name}`)).toEqual(['adopt web-1']);
  });
});

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected to be there');
  return value;
}
