import { expect, test } from 'vitest';
import type { PodFacts } from '../../../core/model/pod.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { auditOf, webPods } from '../support/audited-cluster.ts';
import { aBudget, aService } from '../support/facts.ts';

const controller = webPods();
const daemons: readonly PodFacts[] = controller.map((pod) => ({ ...pod, ownerKind: 'DaemonSet', ownerName: 'web' }));

/** What is found of Services without a budget: the Service, and the commands that create one. */
function unbudgeted(pods: readonly PodFacts[], services: readonly ServiceFacts[]) {
  return auditOf({ pods, cluster: { services, budgets: [] } })
    .findings.filter(({ rule }) => rule === 'WKL-002')
    .map(({ object, fix }) => ({ service: object.name, text: fix.text, commands: fix.commands ?? [] }));
}

test('Services that share pods get one budget together', () => {
  const internal = aService('web', controller, { key: 'default/web-internal' });
  const found = unbudgeted(controller, [internal, aService('web', controller)]);
  expect(found).toEqual([
    {
      service: 'web',
      text: 'Add a PodDisruptionBudget: other tools respect it too.',
      commands: ['kubectl -n default create poddisruptionbudget web --selector=app=web --max-unavailable=1'],
    },
    {
      service: 'web-internal',
      text: expect.stringContaining('Service default/web covers pods of this one'),
      commands: [],
    },
  ]);
});

test('no budget is created that selects a pod with a budget of its own', () => {
  const services = [aService('web', controller.slice(1))];
  const budgets = [aBudget('first', controller.slice(0, 1), 0)];
  const [missing] = auditOf({ cluster: { services, budgets } }).findings.filter(({ rule }) => rule === 'WKL-002');
  expect(missing?.fix).toEqual({ text: expect.any(String) });
});

test('pods of a DaemonSet need no budget, and pods of an unknown controller get none that cannot count on them', () => {
  expect(unbudgeted(daemons, [aService('web', daemons)])).toEqual([]);
  const games = controller.map((pod) => ({ ...pod, ownerKind: 'other' as const, ownerName: 'game' }));
  expect(unbudgeted(games, [aService('web', games)])).toMatchObject([{ service: 'web', commands: [] }]);
});
