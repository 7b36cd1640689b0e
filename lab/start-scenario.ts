/** A lab on the cloud of its scenario. */
import type { LabOptions, RunningLab } from './running-lab.ts';
import type { GkeScenario, Scenario } from './scenario.ts';

/** Starts a lab; each cloud is loaded only where it is used. */
export async function startScenario(scenario: Scenario | GkeScenario, options: LabOptions): Promise<RunningLab> {
  if (!('cloud' in scenario)) {
    const { startLab } = await import('./lab.ts');
    return await startLab(scenario, options);
  }
  const { startGkeLab } = await import('./gke-lab.ts');
  return await startGkeLab(scenario, options);
}
