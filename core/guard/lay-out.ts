import { indexOf } from '../model/cluster-index.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Slices } from '../slices.ts';
import { budgetsOf } from './min-serving.ts';
import { scaleOf } from './scale.ts';
import { balancedServices, stateOf } from './serving.ts';

/** Number of Services laid out in one slice; with fifty thousand pods that is some thousand pods. */
const servicesAtOnce = 10;

/**
 * Sorts an observation in slices, so that a decision from it finds that done: with fifty thousand pods, sorting takes longer than the decision.
 * It decides nothing. A decision from an observation that was not laid out is the same, but takes longer.
 */
export function* layOutInSlices(facts: ServingFacts): Slices<void> {
  const { cluster } = facts;
  const index = indexOf(cluster);
  void index.podsByUid;
  yield;
  void index.budgetsByPod;
  yield;
  const services = [...balancedServices(facts).values()];
  for (const [place, { service }] of services.entries()) {
    stateOf(service, facts);
    budgetsOf(service, cluster);
    scaleOf(service, cluster);
    if (place % servicesAtOnce === servicesAtOnce - 1) yield;
  }
}
