import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { nameOfTarget } from '../../../core/model/target-group.ts';
import type { BalancerTraits } from './balancer-traits.ts';
import { type BalancersSubject, type OpenBalancers, onlyGroup, targetIn } from './balancers-subject.ts';
import { refusal } from './refusal.ts';

const nothing = { groups: [], unsupported: [] };

/** How load balancers are found behind Services, and how their targets are told of. */
export function describeBalancers(where: string, traits: BalancerTraits, open: OpenBalancers): void {
  const { strange, states } = traits;
  describe(`load balancers of ${where}`, () => {
    let subject: BalancersSubject;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(async () => await subject.close());
    const web = (change: Partial<ServiceFacts> = {}): ServiceFacts => ({ ...subject.web, ...change });
    const discover = async (...services: ServiceFacts[]) => await subject.loadBalancers.discover(services);

    describe('a target group', () => {
      test('is told with its Service, its zones and how it checks and deregisters targets, and without them', async () => {
        const group = await onlyGroup(subject);
        expect(group).toMatchObject({ service: 'default/web', strandsDraining: false, ...traits.group });
        expect(group.healthCheck).toMatchObject({ protocol: 'HTTP', port: String(subject.web.healthCheckNodePort) });
        expect(group.healthCheck.unhealthyThreshold * group.healthCheck.intervalMs).toBeGreaterThan(0);
        expect(group.deregistrationDelayMs).toBeGreaterThan(0);
        expect(group).not.toHaveProperty('targets');
      });

      test('has every node as a target, on its port', async () => {
        const [read] = await subject.loadBalancers.readTargets([await onlyGroup(subject)]);
        const told = new Map(read?.targets.map((target) => [nameOfTarget(target), target]));
        expect(told.size).toBe(subject.nodes.length);
        for (const id of subject.nodes) {
          expect(told.get(id)).toMatchObject({ port: traits.portOf(subject.web), state: 'healthy' });
          expect(told.get(id)?.reason).toBeUndefined();
        }
      });

      test('shows what was changed of it where that is asked for anew', async () => {
        expect(await onlyGroup(subject)).not.toMatchObject(traits.changed);
        await subject.cloud.change();
        const { groups } = await subject.loadBalancers.discover([web()], { anew: true });
        expect(groups).toMatchObject([traits.changed]);
      });

      test('that has been deleted is a Conflict, and found no more', async () => {
        const group = await onlyGroup(subject);
        await subject.cloud.deleteTargetGroup();
        expect(await refusal(subject.loadBalancers.readTargets([group]))).toBe('Conflict');
        expect((await discover(web())).groups).toEqual([]);
      });
    });

    describe('a target', () => {
      test('that is deregistered drains at once, is absent after that, and touches no other', async () => {
        const [leaving = '', ...others] = subject.nodes;
        const group = await onlyGroup(subject);
        await subject.cloud.deregister(leaving);
        expect(await targetIn(subject, group, leaving)).toMatchObject(states.draining);
        subject.cloud.settle();
        const [read] = await subject.loadBalancers.readTargets([group]);
        expect(read?.targets.map(nameOfTarget).toSorted()).toEqual(others.toSorted());
        expect(read?.targets.every(({ state }) => state === 'healthy')).toBe(true);
      });

      test('that is registered is not healthy before its checks have told', async () => {
        const [node = ''] = subject.nodes;
        const group = await onlyGroup(subject);
        await subject.cloud.deregister(node);
        subject.cloud.settle();
        await subject.cloud.register(node);
        expect(await targetIn(subject, group, node)).toMatchObject(states.registered);
        subject.cloud.settle();
        expect(await targetIn(subject, group, node)).toMatchObject({ state: 'healthy' });
      });

      test.runIf(traits.returnsWhileDraining)('that is registered while it drains is a target again', async () => {
        const [node = ''] = subject.nodes;
        const group = await onlyGroup(subject);
        await subject.cloud.deregister(node);
        await subject.cloud.register(node);
        expect(await targetIn(subject, group, node)).toMatchObject(states.registered);
        subject.cloud.settle();
        expect(await targetIn(subject, group, node)).toMatchObject({ state: 'healthy' });
      });

      test('that fails its checks is unhealthy and stays registered', async () => {
        const [failing = '', other = ''] = subject.nodes;
        const group = await onlyGroup(subject);
        await subject.cloud.failChecks(failing);
        expect(await targetIn(subject, group, failing)).toMatchObject(states.failing);
        expect(await targetIn(subject, group, other)).toMatchObject({ state: 'healthy' });
      });

      test('is told the same to those who ask for states as of a time before', async () => {
        const group = await onlyGroup(subject);
        const [fresh] = await subject.loadBalancers.readTargets([group]);
        const [known] = await subject.loadBalancers.readTargets([group], { since: 0, first: true });
        expect(known).toEqual(fresh);
      });
    });

    describe('a Service', () => {
      test('that is no load balancer, or has no address yet, has nothing behind it', async () => {
        expect(await discover(web({ type: 'NodePort' }), web({ hostnames: [] }))).toEqual(nothing);
        const { unsupported } = await subject.loadBalancers.discover([], { beside: [web({ hostnames: [] })] });
        expect(unsupported).toEqual([]);
      });

      test('with an address that no load balancer has can’t be watched, and takes nothing from others', async () => {
        const old = web({ key: 'default/old', hostnames: [strange] });
        const { groups, unsupported } = await discover(old, web());
        expect(groups.map(({ service }) => service)).toEqual(['default/web']);
        expect(unsupported).toMatchObject([{ service: 'default/old', why: 'unknown-load-balancer' }]);
        expect(unsupported[0]?.detail).toContain(strange);
      });

      test('of which no more is asked than that brings no target groups', async () => {
        const old = web({ key: 'default/old', hostnames: [strange] });
        const { groups, unsupported } = await subject.loadBalancers.discover([], { beside: [old, web()] });
        expect(groups).toEqual([]);
        expect(unsupported).toMatchObject([{ service: 'default/old', why: 'unknown-load-balancer' }]);
      });

      test('whose load balancer no controller manages can’t be watched', async () => {
        await subject.cloud.removeTags();
        expect(await subject.loadBalancers.discover([web()], { anew: true })).toMatchObject({
          groups: [],
          unsupported: [{ service: 'default/web', why: 'not-managed' }],
        });
      });

      test('with pods as targets too can’t be watched as a whole; its nodes are seen all the same', async () => {
        await subject.cloud.addPodTargets();
        const { groups, unsupported } = await subject.loadBalancers.discover([web()], { anew: true });
        expect(groups.map(({ service }) => service)).toEqual(['default/web']);
        expect(unsupported).toMatchObject([{ service: 'default/web', why: 'other-targets' }]);
      });

      test('with several reasons is told once, with the first, and its other address is observed', async () => {
        await subject.cloud.addPodTargets();
        const { groups, unsupported } = await discover(web({ hostnames: [strange, ...subject.web.hostnames] }));
        expect(groups).toHaveLength(1);
        expect(unsupported).toMatchObject([{ service: 'default/web', why: 'unknown-load-balancer' }]);
      });
    });
  });
}
