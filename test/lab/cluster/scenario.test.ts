import { describe, expect, it } from 'vitest';
import { needsNodes } from '../../../lab/cluster/objects.ts';
import { loadBalancedServices, type Scenario, scenarioProblems, validScenario } from '../../../lab/scenario.ts';
import { gkePodsScenario } from '../../../lab/scenarios/balancers.ts';
import { scenarioByName, scenarios } from '../../../lab/scenarios/catalog.ts';
import { demoScenario } from '../../../lab/scenarios/demo.ts';

function changed(change: Partial<Scenario>): readonly string[] {
  return scenarioProblems({ ...demoScenario, ...change });
}

const [group] = demoScenario.nodegroups;
if (group === undefined) throw new Error('the demo has node groups');

describe('scenarios', () => {
  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s has nothing wrong', (_, scenario) => {
    expect(scenarioProblems(scenario)).toEqual([]);
  });

  it('are found by name, and a wrong name is answered with the right ones', () => {
    expect(scenarioByName('small').name).toBe('small');
    expect(() => scenarioByName('huge')).toThrow('there is no scenario huge; choose one of: demo, small');
  });

  it('refuse two node groups of one name', () => {
    expect(changed({ nodegroups: [group, group] })).toEqual(['node group web is declared twice']);
  });

  it('refuse sizes that Auto Scaling would refuse', () => {
    expect(changed({ nodegroups: [{ ...group, minSize: 5, size: 4, maxSize: 4 }] })).toEqual([
      'node group web: sizes must satisfy min 5 <= size 4 <= max 4, max at least 1',
    ]);
  });

  it('refuse versions without a kubelet', () => {
    expect(changed({ nodegroups: [{ ...group, version: '1.20' }] })).toEqual([
      'node group web: version 1.20 is none of 1.35, 1.36',
    ]);
  });

  it('refuse zones that are elsewhere or not declared', () => {
    expect(changed({ zones: ['us-east-1a'], nodegroups: [{ ...group, zones: ['eu-west-1a'] }] })).toEqual([
      'zone us-east-1a is not in eu-west-1',
      'node group web: zone eu-west-1a is not declared',
    ]);
  });

  it('refuse objects that say not what they are, by their place in the list', () => {
    expect(changed({ objects: [...demoScenario.objects, { kind: 'Service' }] })).toEqual([
      `object ${demoScenario.objects.length + 1} lacks apiVersion, kind or metadata.name`,
    ]);
  });

  it('refuse target group settings for a Service without a load balancer', () => {
    expect(changed({ targetGroups: [{ service: 'agent', attributes: {} }] })).toEqual([
      'target group settings for agent, which is not a Service of type LoadBalancer',
    ]);
  });

  it('name everything that is wrong in one error', () => {
    expect(() =>
      validScenario({ ...demoScenario, zones: [], targetGroups: [{ service: 'none', attributes: {} }] }),
    ).toThrow(/there is no zone; .*target group settings for none/);
  });

  it('tell load-balanced Services from others', () => {
    expect(loadBalancedServices(demoScenario)).toEqual(['web', 'api']);
    expect(loadBalancedServices(gkePodsScenario)).toEqual(['pod-endpoints']);
  });

  it.each([demoScenario, gkePodsScenario])(
    'keep pods and load balancers of $name back until the nodes are there',
    (scenario) => {
      const kept = scenario.objects.filter(needsNodes);
      expect(new Set(kept.map(({ kind }) => kind))).toEqual(new Set(['Deployment', 'DaemonSet', 'Service']));
      const services = kept.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata?.name);
      expect(services).toEqual(loadBalancedServices(scenario));
    },
  );
});
