import { type GkeScenario, type Scenario, validScenario } from '../scenario.ts';
import { eksBalancersScenario, gkeBalancersScenario, gkeGroupsScenario, gkePodsScenario } from './balancers.ts';
import { controlsScenario } from './controls.ts';
import { demoScenario } from './demo.ts';
import { disturbancesScenario, threeZonesScenario, twoPoolsScenario } from './disturbances.ts';
import { gkeEndingsScenario, gkeScenario } from './gke.ts';
import { smallScenario } from './small.ts';

/** All scenarios, for the command line. */
export const scenarios: readonly (Scenario | GkeScenario)[] = [
  demoScenario,
  smallScenario,
  controlsScenario,
  disturbancesScenario,
  threeZonesScenario,
  twoPoolsScenario,
  gkeScenario,
  gkeEndingsScenario,
  eksBalancersScenario,
  gkeBalancersScenario,
  gkeGroupsScenario,
  gkePodsScenario,
];

/** The scenario with that name, checked; throws when there is none. */
export function scenarioByName(name: string): Scenario | GkeScenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return validScenario(found);
  throw new Error(
    `there is no scenario ${name}; choose one of: ${scenarios.map((scenario) => scenario.name).join(', ')}`,
  );
}
