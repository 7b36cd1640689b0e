/** The lab on Google, with the controllers of GKE. */
import { installGoogleControllers } from '../scripts/setup/install-google-controllers.ts';
import type { LoadBalancedService } from './cluster/cloud.ts';
import { type GoogleCloud, openGoogle } from './cluster/google-cloud.ts';
import type { SimulatedGcp } from './gcp/server.ts';
import { type LabOptions, type RunningLab, startLabOn } from './running-lab.ts';
import type { GkeScenario } from './scenario.ts';

/** A running lab on Google. */
export interface GkeLab extends RunningLab {
  readonly gcp: SimulatedGcp;
}

/**
 * Starts a lab on Google, like `startLab`. The controllers are built first where they are missing: that takes minutes, once.
 */
export async function startGkeLab(scenario: GkeScenario, options: LabOptions = {}): Promise<GkeLab> {
  const tools = await installGoogleControllers(options.signal);
  const { lab, cloud } = await startLabOn<LoadBalancedService, GoogleCloud>(scenario, options, {
    returnPath: 'direct',
    openCloud: (at) => openGoogle(scenario, tools, at),
  });
  return Object.assign(lab, { gcp: cloud.gcp });
}
