import { expect, test } from 'vitest';
import type { ServiceFacts } from '../../../core/model/service.ts';
import type { TargetFacts, TargetGroupFacts } from '../../../core/model/target-group.ts';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import { aBudget, aGroup, aLook, aNode, aPod, aPolicy, aPool, aService, aTarget } from '../support/facts.ts';

interface Shape {
  readonly traffic: ServiceFacts['externalTrafficPolicy'];
  readonly controller: TargetGroupFacts['controller'];
}

/** How often the plan for so many nodes, with a pod and a target of each of four Services, looks at one target, on average. */
function looksPerTarget(n: number, { traffic, controller }: Shape): number {
  let looks = 0;
  const counted = (target: TargetFacts): TargetFacts => ({
    ...target,
    get instanceId() {
      looks += 1;
      return target.instanceId;
    },
  });
  const nodes = Array.from({ length: n }, (_, index) => aNode(`n${index}`));
  const apps = ['web', 'api', 'shop', 'pay'].map((app) => {
    const pods = nodes.map((node, index) => aPod(`${app}-${index}`, node.name));
    const targets = nodes.map((node) => counted(aTarget(node)));
    const group = aGroup(app, nodes, { targets, controller });
    const budget = aBudget(app, pods, n - Math.ceil(n / 10));
    return { pods, group, budget, service: aService(app, pods, { externalTrafficPolicy: traffic }) };
  });
  const facts = aLook(
    {
      nodes,
      pods: apps.flatMap(({ pods }) => pods),
      services: apps.map(({ service }) => service),
      budgets: apps.map(({ budget }) => budget),
    },
    apps.map(({ group }) => group),
  );
  const { nodes: planned } = buildPlan({ policy: aPolicy(), run: 'run', pool: aPool(nodes), facts });
  expect(planned).toHaveLength(n);
  return looks / (n * apps.length);
}

test.each<Shape>([
  { traffic: 'Local', controller: 'service-controller' },
  { traffic: 'Cluster', controller: 'service-controller' },
  { traffic: 'Local', controller: 'aws-load-balancer-controller' },
  { traffic: 'Cluster', controller: 'aws-load-balancer-controller' },
])('a plan looks at each target a few times, however many there are: policy $traffic, $controller', (shape) => {
  const [few, many] = [looksPerTarget(20, shape), looksPerTarget(80, shape)];
  expect(few).toBeLessThan(30);
  expect(many).toBeLessThan(2 * few);
});
