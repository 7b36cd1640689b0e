import { indexOf } from '../model/cluster-index.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Slices } from '../slices.ts';
import { budgetsOf } from './min-serving.ts';
import { scaleOf } from './scale.ts';
import { balancedServices, stateOf } from './serving.ts';

/** So many Services are laid out in one slice: of fifty thousand pods some thousand. */
const servicesAtOnce = 10;

/**
 * Sorts in slices what a look shows, so that whoever decides from it finds that done: with fifty thousand pods it takes longer than the
 * decision. Decides nothing; a decision from a look that was not laid out is the same, and takes longer.
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
