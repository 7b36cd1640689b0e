/** The lab on AWS. */
import type { SimulatedAws } from './aws/server.ts';
import { type AwsCloud, type LabService, openAws } from './cluster/aws-cloud.ts';
import { type LabOptions, type RunningLab, startLabOn } from './running-lab.ts';
import type { Scenario } from './scenario.ts';

export type { LabService } from './cluster/aws-cloud.ts';

/** A running lab on AWS. */
export interface Lab extends RunningLab<LabService> {
  /** The simulated AWS in the root namespace, for AWS_ENDPOINT_URL. */
  readonly awsUrl: string;
  readonly aws: SimulatedAws;
}

/**
 * Starts a lab on AWS and resolves when its nodes are ready and its objects applied. Throws `LabInUseError` when there is one already, a `SetupError`
 * when tools are missing, and the signal's reason when it is aborted.
 */
export async function startLab(scenario: Scenario, options: LabOptions = {}): Promise<Lab> {
  const { lab, cloud } = await startLabOn<LabService, AwsCloud>(scenario, options, {
    returnPath: 'gateway',
    openCloud: (at) => openAws(scenario, at),
  });
  return Object.assign(lab, { aws: cloud.aws, awsUrl: cloud.url });
}
