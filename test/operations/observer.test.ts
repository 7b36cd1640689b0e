import { describe, expect, test } from 'vitest';
import type { RunScope } from '../../core/guard/services-of-run.ts';
import type { PodFacts } from '../../core/model/pod.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { ServiceFacts } from '../../core/model/service.ts';
import { createObserver } from '../../operations/observer.ts';
import type { Ports } from '../../ports/ports.ts';
import { aBaseline, aCluster, aGroup, aNode, anUnsupported, aPod, aPolicy, aService } from '../core/support/facts.ts';

const node = aNode('n1');
const elsewhere = aNode('n2', { pool: 'other' });
const run = { policy: aPolicy(), baselines: [] };

/** A Service `default/<app>` with one pod, on that node. */
const serviceOn = (app: string, host: string, changes: Partial<ServiceFacts> = {}) =>
  aService(app, [aPod(`${app}-1`, host)], changes);

/** Ports that answer from what they are given and count what they are asked. `old` can't be watched. */
function portsOf(services: readonly ServiceFacts[]) {
  const asked = { discovered: [] as string[][], read: [] as string[][] };
  const world = {
    services,
    pods: [] as PodFacts[],
    now: 0,
    goneGroups: [] as string[],
    away: false,
    discovering: Promise.resolve(),
  };
  const ports = {
    clock: { now: () => world.now, sleep: async () => undefined },
    cluster: {
      observe: async () => aCluster({ services: world.services, pods: world.pods, nodes: [node, elsewhere] }),
    },
    loadBalancers: {
      discover: async (own: readonly ServiceFacts[]) => {
        asked.discovered.push(own.map(({ key }) => key));
        await world.discovering;
        if (world.away) throw new NodeferryError({ code: 'ProviderUnavailable', message: 'no answer' });
        const watched = own.filter(({ key }) => key !== 'default/old');
        return {
          groups: watched.map(({ key, podGroups }) =>
            aGroup(key.replace('default/', ''), [node], podGroups && { membership: 'pods', targets: [] }),
          ),
          unsupported: own.length > watched.length ? [anUnsupported('old')] : [],
        };
      },
      readTargets: async (groups: readonly { readonly id: string; readonly service: string }[]) => {
        asked.read.push(groups.map(({ service }) => service));
        const gone = groups.find(({ id }) => world.goneGroups.includes(id));
        if (gone !== undefined) throw new NodeferryError({ code: 'Conflict', message: `${gone.id} is not there` });
        return groups;
      },
    },
  } as unknown as Ports;
  return { observer: createObserver(ports), asked, world };
}

describe('an observation of everything that serves', () => {
  test('asks for the Services that the run can harm and for no others', async () => {
    const { observer, asked } = portsOf([
      serviceOn('web', 'n1'),
      serviceOn('far', 'n2'),
      serviceOn('everywhere', 'n2', { externalTrafficPolicy: 'Cluster' }),
    ]);

    await observer.serving(run);

    const own = ['default/web', 'default/everywhere'];
    expect(asked).toEqual({ discovered: [own], read: [own] });
  });

  test('reports unsupported Services from what was discovered, as long as that is fresh', async () => {
    const { observer, asked, world } = portsOf([serviceOn('web', 'n1'), serviceOn('old', 'n1')]);

    const observations = [await observer.serving(run), await observer.serving(run)];
    world.now = 60_001;
    observations.push(await observer.serving(run));

    expect(observations.map((observation) => observation.unsupported)).toEqual(
      observations.map(() => [anUnsupported('old')]),
    );
    expect(observations.map((observation) => observation.targetGroups.length)).toEqual([1, 1, 1]);
    expect([asked.discovered.length, asked.read.length]).toEqual([2, 3]);
  });

  test('joins a discovery that takes minutes, and decides from the one before it meanwhile', async () => {
    const { observer, asked, world } = portsOf([serviceOn('web', 'n1')]);
    const earlier = await observer.serving(run);
    const answer = Promise.withResolvers<void>();
    world.discovering = answer.promise;

    world.now = 60_001;
    const first = observer.serving(run);
    world.now = 180_000;
    const second = observer.serving(run);
    const decided = await observer.refresh(earlier, run, ['default/web']);
    answer.resolve();
    await Promise.all([first, second]);
    world.now = 239_000;
    await observer.serving(run);

    expect(decided?.targetGroups).toHaveLength(1);
    expect(asked.discovered).toHaveLength(2);
  });

  test('discovers once for all who ask at the same moment', async () => {
    const { observer, asked } = portsOf([serviceOn('web', 'n1'), serviceOn('old', 'n1')]);

    const observations = await Promise.all(Array.from({ length: 5 }, () => observer.serving(run)));

    expect(
      observations.every(
        (observation) => observation.unsupported.length === 1 && observation.targetGroups.length === 1,
      ),
    ).toBe(true);
    expect(asked.discovered).toHaveLength(1);
  });

  test('discovers a Service that appears or changes, and no other again', async () => {
    const { observer, asked, world } = portsOf([serviceOn('web', 'n1')]);

    await observer.serving(run);
    world.services = [...world.services, serviceOn('old', 'n1')];
    await observer.serving(run);
    world.services = [serviceOn('web', 'n1', { nodePorts: [30_080, 30_081] }), serviceOn('old', 'n1')];
    await observer.serving(run);

    expect(asked.discovered).toEqual([['default/web'], ['default/old'], ['default/web']]);
  });

  test('runs with different Services don’t make each other discover again', async () => {
    const { observer, asked } = portsOf([serviceOn('web', 'n1'), serviceOn('far', 'n2')]);
    const other = { ...run, policy: { ...run.policy, pool: { ...run.policy.pool, name: 'other' } } };

    for (const asking of [run, other, run, other]) await observer.serving(asking);

    expect(asked.discovered).toEqual([['default/web'], ['default/far']]);
  });

  test('a target group that is gone is discovered again by the next observation', async () => {
    const { observer, asked, world } = portsOf([serviceOn('web', 'n1')]);
    await observer.serving(run);
    world.goneGroups = ['arn:web'];

    await expect(observer.serving(run)).rejects.toThrow('arn:web is not there');
    world.goneGroups = [];
    await observer.serving(run);

    expect(asked.discovered).toHaveLength(2);
  });

  test('uses no cache when it is made afresh', async () => {
    const { observer, asked } = portsOf([serviceOn('web', 'n1')]);

    await observer.serving(run);
    await observer.observeFresh(run.policy);

    expect(asked.discovered).toHaveLength(2);
  });
});

describe('an observation for a decision', () => {
  test('reads what decides again, and nothing else', async () => {
    const { observer, asked } = portsOf([serviceOn('web', 'n1'), serviceOn('api', 'n1')]);
    const earlier = await observer.serving(run);

    const again = await observer.refresh(earlier, run, ['default/api']);

    expect(asked.read.slice(1)).toEqual([['default/api']]);
    expect(again?.targetGroups.map(({ service }) => service)).toEqual(['default/web', 'default/api']);
  });

  test('is undefined when there is a Service by now that was not discovered', async () => {
    const { observer, asked, world } = portsOf([serviceOn('web', 'n1')]);
    const earlier = await observer.serving(run);
    world.services = [...world.services, serviceOn('api', 'n1')];

    expect(await observer.refresh(earlier, run, ['default/web'])).toBeUndefined();
    expect(asked.discovered).toHaveLength(1);
  });
});

describe('the target groups that an Ingress names for a Service', () => {
  const behind = (...groups: readonly string[]) =>
    serviceOn('web', 'n1', {
      type: 'NodePort',
      hostnames: [],
      nodePortBalancers: [{ by: 'Ingress default/shop', groups, hint: '' }],
    });

  test('are observed, and discovered anew when it names others', async () => {
    const { observer, asked, world } = portsOf([behind('k8s-be-30080')]);
    expect((await observer.serving(run)).targetGroups.map(({ service }) => service)).toEqual(['default/web']);
    await observer.serving(run);
    expect(asked.discovered).toHaveLength(1);
    world.services = [behind('k8s-be-30081')];
    await observer.serving(run);
    expect(asked.discovered).toHaveLength(2);
  });
});

describe('an observation of the cluster with the target groups of pods', () => {
  const podGroups = { names: ['pods-shop'], zones: ['a'], zonesNeedCandidate: true };
  const shop = serviceOn('shop', 'n1', { type: 'ClusterIP', podGroups });

  test('reads those and no others, and states that are new enough only once', async () => {
    const { observer, asked, world } = portsOf([serviceOn('web', 'n1'), shop]);
    world.now = 10_000;
    const seen = await observer.withPodTargets(run, 5_000);
    await observer.withPodTargets(run, 10_000);
    world.now = 15_000;
    await observer.withPodTargets(run, 10_001);
    expect(seen.podTargets?.map(({ service }) => service)).toEqual(['default/shop']);
    expect(asked.read).toEqual([['default/shop'], ['default/shop']]);
  });

  test('reads nothing where no load balancer sends to pods', async () => {
    const { observer, asked } = portsOf([serviceOn('web', 'n1')]);
    expect((await observer.withPodTargets(run, 0)).podTargets).toEqual([]);
    expect(asked.read).toEqual([]);
  });

  test('does not need load balancers that answer, where they sent to no pod, and asks them again after a while', async () => {
    const { observer, asked, world } = portsOf([serviceOn('web', 'n1')]);
    await observer.withPodTargets(run, 0);
    world.away = true;
    for (const now of [60_001, 61_001, 90_002]) {
      world.now = now;
      expect((await observer.withPodTargets(run, 0)).podTargets).toEqual([]);
    }
    expect(asked.discovered).toHaveLength(3);
  });

  test('is refused while load balancers do not answer that sent to pods, or were never asked', async () => {
    const { observer, world } = portsOf([shop]);
    await observer.withPodTargets(run, 0);
    world.away = true;
    world.now = 60_001;
    await expect(observer.withPodTargets(run, 0)).rejects.toThrow('no answer');
    world.services = [serviceOn('new', 'n1')];
    await expect(observer.withPodTargets(run, 0)).rejects.toThrow('no answer');
  });

  test('notes groups without a healthy target, unless it is not known what was observed before', async () => {
    const { observer } = portsOf([shop]);
    const notedFor = async (baselines: RunScope['baselines']) =>
      (await observer.withPodTargets({ ...run, baselines }, 0)).podTargets?.map(({ silent }) => silent);
    expect(await notedFor([])).toEqual([true]);
    expect(await notedFor([aBaseline('shop', 1, { groups: ['arn:shop'] })])).toEqual([undefined]);
    expect(await notedFor(undefined)).toEqual([undefined]);
  });

  test('is about a Service whose only pod on the pool was removed from its endpoints, too', async () => {
    const removed = aPod('shop-1', 'n1', {
      labels: {},
      endpointsRemoved: { by: 'run', originalLabels: { app: 'shop' } },
    });
    const { observer, world } = portsOf([serviceOn('shop', 'n2', { type: 'ClusterIP', podGroups })]);
    expect((await observer.withPodTargets(run, 0)).podTargets).toEqual([]);
    world.pods = [removed];
    expect((await observer.withPodTargets(run, 0)).podTargets).toHaveLength(1);
  });
});
