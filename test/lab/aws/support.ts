import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { onTestFinished } from 'vitest';
import { type ManualClock, manualClock } from '../../../lab/aws/clock.ts';
import { type SimulatedAws, type SimulatedAwsOptions, startSimulatedAws } from '../../../lab/aws/server.ts';
import type { BootedInstance } from '../../../lab/contracts.ts';
import { type ScriptedDataPlane, scriptedDataPlane } from '../scripted-data-plane.ts';

/** A simulated AWS on a clock that the test moves, with real SDK clients that talk to it over HTTP. */
export interface Cloud {
  readonly aws: SimulatedAws;
  readonly clock: ManualClock;
  readonly plane: ScriptedDataPlane;
  readonly booted: BootedInstance[];
  readonly terminated: string[];
  readonly ec2: EC2Client;
  readonly eks: EKSClient;
  readonly autoScaling: AutoScalingClient;
  readonly elb: ElasticLoadBalancingV2Client;
}

/** Starts one for the running test and stops it afterwards. */
export async function startCloud(options: Partial<SimulatedAwsOptions> = {}): Promise<Cloud> {
  const clock = manualClock();
  const plane = scriptedDataPlane();
  const booted: BootedInstance[] = [];
  const terminated: string[] = [];
  const aws = await startSimulatedAws({
    clusterName: 'lab',
    clock,
    dataPlane: plane,
    hooks: { boot: (instance) => booted.push(instance), terminate: (id) => terminated.push(id) },
    ...options,
  });
  const config = {
    region: 'eu-west-1',
    endpoint: aws.url,
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
  };
  const clients = {
    ec2: new EC2Client(config),
    eks: new EKSClient(config),
    autoScaling: new AutoScalingClient(config),
    elb: new ElasticLoadBalancingV2Client(config),
  };
  onTestFinished(async () => {
    for (const client of Object.values(clients)) client.destroy();
    await aws.close();
  });
  return { aws, clock, plane, booted, terminated, ...clients };
}
