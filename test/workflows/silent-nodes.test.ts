/** An instance that has died while the cloud reports it as running, and a node that only the API server can't reach. */
import { describe, expect, test } from 'vitest';
import type { Policy } from '../../core/policy/policy.ts';
import type { NodeStatus, RunStatus } from '../../core/status/status.ts';
import { abortUpdate } from '../../workflows/messages.ts';
import { ownershipOf } from '../simulator/cluster-port.ts';
import { endBehindBack } from '../simulator/pools.ts';
import { podSurgePolicy, scenarioPolicy } from '../simulator/scenario.ts';
import { cutOff, losePower, reconnect } from '../simulator/silent-nodes.ts';
import type { SimInstance, SimNode, World } from '../simulator/world.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectNothingLeft } from '../support/run-checks.ts';
import type { StepHooks } from '../support/temporal-harness.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'because' };

/** Requests to an instance that has just died are lost with or without an upgrade: here they do not pause the run. */
function patient(policy: Policy, change: Partial<Policy> = {}): Policy {
  return { ...policy, traffic: { ...policy.traffic, lossBudget: 1_000_000 }, ...change };
}

const terminating = (policy: Policy) => ({ drain: { ...policy.drain, unreachableNodes: 'terminate' as const } });

function victimIn(world: World): SimNode {
  const [first] = world.nodes;
  if (first === undefined) throw new Error('the world has no node');
  return first;
}

function instanceSpecOf(world: World, node: SimNode): SimInstance {
  const found = world.instances.find(({ instanceId }) => instanceId === node.instanceId);
  if (found === undefined) throw new Error(`${node.name} has no instance`);
  return found;
}

/** Resolves once this step has begun for the node, or for the pool if it is a step of the pool. */
function atStep(step: string, node: SimNode, act: () => void): NonNullable<StepHooks['before']> {
  let done = false;
  return (name, [input]) => {
    const { node: of } = input as { node?: { name: string } };
    if (done || name !== step || (of !== undefined && of.name !== node.name)) return;
    done = true;
    act();
  };
}

const isAsked = ({ stalled }: RunStatus) => stalled?.code === 'NodeUnreachable';
const stepsOfOthers = (nodes: readonly NodeStatus[], { name }: SimNode) =>
  nodes.filter(({ node }) => node.name !== name).map(({ step }) => step);

const runs = [
  ['surges pods', podSurgePolicy()],
  ['evicts within budgets', scenarioPolicy()],
  ['surges pods, with waves of one new node', podSurgePolicy({}, { nodeSurge: { instances: 1 } })],
] as const;

describe('an instance that has died while the cloud reports it as running', () => {
  test.each(someOf(runs, 1))(
    'in a run that %s stalls its node while others continue, until the instance terminates',
    async (_, policy) => {
      const oneByOne = { guard: { ...policy.guard, maxInFlight: 1 } };
      const { world, start } = upgradeOf({ policy: patient(policy, oneByOne) });
      const victim = victimIn(world);
      const { harness, handle } = await start({ before: atStep('evictPods', victim, () => losePower(world, victim)) });
      const asked = await harness.until(handle, 'a question', isAsked);
      expect(asked.stalled?.message).toContain(`${victim.name} is unreachable: its kubelet has not been heard from`);
      expect(asked.stalled?.hint).toContain(`--instance-ids ${victim.instanceId}`);
      const lostBefore = world.traffic.lost;

      const alone = await harness.until(handle, 'the others replaced', ({ nodes }) =>
        stepsOfOthers(nodes, victim).every((step) => step === 'replaced'),
      );
      expect(alone.stalled?.code).toBe('NodeUnreachable');
      expect(alone.nodes).toHaveLength(4);
      expect(instanceSpecOf(world, victim).state).toBe('running');

      endBehindBack(world, instanceSpecOf(world, victim));
      await harness.until(handle, 'no question any more', (status) => !isAsked(status));
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('completed');
      expect(report.actions.map(({ action }) => action)).toEqual(['start']);
      expect(report.leftovers).toEqual([]);
      expect(world.violations, world.log.join('\n')).toEqual([]);
      expect(world.traffic.lost - lostBefore).toBe(0);
      expectNothingLeft(world, 4);
    },
  );

  test('whose kubelet is reachable again is emptied like any other, without a resume', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    const victim = victimIn(world);
    const { harness, handle } = await start({
      before: atStep('evictPods', victim, () => cutOff(world, victim)),
    });
    await harness.until(handle, 'a question', isAsked);
    reconnect(world, victim);
    await harness.until(handle, 'no question any more', (status) => !isAsked(status));
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.actions.map(({ action }) => action)).toEqual(['start']);
    expect(world.violations, world.log.join('\n')).toEqual([]);
    expectNothingLeft(world, 4);
  });

  test.each(someOf(runs, 1))(
    'is terminated without an operator where the policy says so, in a run that %s',
    async (_, policy) => {
      const { world, start } = upgradeOf({ policy: patient(policy, terminating(policy)) });
      const victim = victimIn(world);
      let diedAt = 0;
      const { harness, handle } = await start({
        before: atStep('evictPods', victim, () => {
          diedAt = world.clock.now();
          losePower(world, victim);
        }),
      });
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('completed');
      expect(report.actions.map(({ action }) => action)).toEqual(['start']);
      const { evidence = [] } = report.nodes.find(({ node }) => node.name === victim.name) ?? {};
      expect(evidence.find(({ kind }) => kind === 'evicted')?.detail).toMatch(/so it ends with the instance/);
      // Not before Kubernetes itself evicts its pods.
      expect(evidence.find(({ kind }) => kind === 'evicted')?.at).toBeGreaterThanOrEqual(diedAt + 350_000);
      expect(world.terminations.get(victim.instanceId)).toBe(1);
      expect(world.violations, world.log.join('\n')).toEqual([]);
      expectNothingLeft(world, 4);
    },
  );

  test('does not block an aborted run, which names the pods that end only with the instance', async () => {
    const { world, start } = upgradeOf({ policy: patient(podSurgePolicy()) });
    const victim = victimIn(world);
    const { harness, handle } = await start({ before: atStep('evictPods', victim, () => losePower(world, victim)) });
    await harness.until(handle, 'a question', isAsked);
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('aborted');
    const hanging = world.pods.filter(({ node, terminating: told }) => node === victim.name && told);
    expect(hanging.length).toBeGreaterThan(0);
    expect(report.leftovers).toHaveLength(hanging.length);
    for (const line of report.leftovers) expect(line).toMatch(/can't terminate: .* --instance-ids i-1$/);
    expect(instanceSpecOf(world, victim).state).toBe('running');
    expect(ownershipOf(world)).toEqual([]);

    endBehindBack(world, instanceSpecOf(world, victim));
    world.clock.advance(10 * 60_000);
    expect(world.pods.filter(({ terminating: told }) => told)).toEqual([]);
  });

  variation('does not block an aborted run that had created it', async () => {
    const { world, start } = upgradeOf({ policy: patient(podSurgePolicy()) });
    const { harness, handle } = await start({
      before: (step, [input]) => {
        const { node, pool } = input as { node?: { name: string }; pool?: { name: string } };
        const fresh = world.nodes.find(({ name }) => name === node?.name);
        if (
          step === 'evictPods' &&
          pool?.name === 'web-new' &&
          fresh !== undefined &&
          !world.nodes.some(({ silent }) => silent)
        )
          losePower(world, fresh);
      },
    });
    await harness.until(handle, 'replacing', ({ phase }) => phase === 'replace');
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('aborted');
    expect(report.leftovers).toEqual([]);
    expect(world.log.filter((line) => line.endsWith('loses power'))).toHaveLength(1);
    expect(world.violations, world.log.join('\n')).toEqual([]);
    expectNothingLeft(world, 4);
  });
});

describe('a node that only the API server can’t reach, while load balancers send to it', () => {
  test('is never terminated: it continues to serve, and the run says that its load balancer finds it healthy', async () => {
    const policy = podSurgePolicy();
    const { world, start } = upgradeOf({ policy: { ...policy, ...terminating(policy) } });
    const victim = victimIn(world);
    // Its kube-proxy continues to send to pods elsewhere that have left: only what the node serves itself counts here.
    for (const service of world.services) if (service.externalTrafficPolicy === 'Cluster') service.ratePerSecond = 0;
    const { harness, handle } = await start({ before: atStep('cordonNodes', victim, () => cutOff(world, victim)) });
    const held = await harness.until(handle, 'stalled', ({ stalled }) => stalled !== undefined);
    expect(held.stalled?.message).toMatch(new RegExp(`${victim.name} waits: .* is healthy still`));
    expect(stepsOfOthers(held.nodes, victim)).toEqual(['replaced', 'replaced', 'replaced']);
    expect([...world.terminations.keys()]).not.toContain(victim.instanceId);
    expect(world.violations).toEqual([]);
    expect(world.traffic.lost).toBe(0);
  });

  test('without the capacity guard is terminated while its pods run', async () => {
    const policy = patient(podSurgePolicy(), { disabledRules: ['capacity-guard'] });
    const { world, start } = upgradeOf({ policy: { ...policy, ...terminating(policy) } });
    const victim = victimIn(world);
    const { harness, handle } = await start({ before: atStep('cordonNodes', victim, () => cutOff(world, victim)) });
    await harness.finish(handle);
    expect(world.violations.join('\n')).toContain(`${victim.name} terminated with pods`);
  });
});
