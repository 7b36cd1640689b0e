/** The simulated AWS as the cloud of a lab. */
import type { V1Service } from '@kubernetes/client-node';
import { toolPaths } from '../../scripts/setup/paths.ts';
import type { LoadBalancer, TargetGroup } from '../aws/elbv2/state.ts';
import { presets } from '../aws/presets.ts';
import { type SimulatedAws, startSimulatedAws } from '../aws/server.ts';
import { portToSocket } from '../forward.ts';
import { API_SERVER_INSIDE, AWS_PORT_INSIDE, NAMESPACES } from '../network-plan.ts';
import type { Scenario } from '../scenario.ts';
import { type CloudSurroundings, describeBalanced, type LabCloud, type LoadBalancedService } from './cloud.ts';
import { awsEnvironment, startCloudController } from './cloud-controller.ts';
import { followNames } from './name-service.ts';
import { logFile, STATE } from './state.ts';
import { setTargetGroupAttributes } from './target-groups.ts';

/** A Service behind a Network Load Balancer. */
export interface LabService extends LoadBalancedService {
  readonly loadBalancerArn: string;
  readonly targetGroupArns: readonly string[];
}

/** A simulated AWS that runs in the lab. */
export interface AwsCloud extends LabCloud<LabService> {
  readonly aws: SimulatedAws;
}

/** Starts the simulated AWS, reachable from inside the lab. */
export async function openAws(scenario: Scenario, { machines, dataPlane, undo }: CloudSurroundings): Promise<AwsCloud> {
  portToSocket(NAMESPACES.controlPlane, AWS_PORT_INSIDE, STATE.awsSocket, logFile('forward'));
  portToSocket(NAMESPACES.operations, AWS_PORT_INSIDE, STATE.awsSocket, logFile('forward'));
  const { region, clusterName } = scenario;
  const aws = await startSimulatedAws({
    clusterName,
    clusterVersion: scenario.version,
    clusterEndpoint: API_SERVER_INSIDE,
    region,
    zones: scenario.zones,
    delays: scenario.delays,
    hooks: machines,
    dataPlane,
    nodegroups: scenario.nodegroups,
    socketPath: STATE.awsSocket,
  });
  undo.push(() => aws.close(), await followNames(aws));
  const { vpcId, subnets } = aws.model.network;
  return {
    aws,
    provider: 'eks',
    poolLabel: 'eks.amazonaws.com/nodegroup',
    delays: { ...presets.fast, ...scenario.delays },
    launchedAt: (id) => aws.model.instances.get(id)?.launchedAt,
    deregisteredAt: (id) => aws.model.deregisteredAt.get(id),
    url: aws.url,
    outside: { ...awsEnvironment(region), AWS_ENDPOINT_URL: aws.url },
    environment: awsEnvironment(region),
    startControllers: async (kubeconfig) => [
      await startCloudController(toolPaths(), kubeconfig, {
        region,
        clusterName,
        vpcId,
        subnetId: subnets[0]?.id ?? '',
      }),
    ],
    describeService: (service) => describeService(service, aws),
    configure: async (services) => await setTargetGroupAttributes({ url: aws.url, region }, scenario, services),
    targetFault: ({ targetGroupArns }, id) => {
      const groups = targetGroupArns
        .map((arn) => aws.model.targetGroups.get(arn))
        .filter((group) => group !== undefined);
      return groups.every((group) => getsConnections(group, id)) ? undefined : describeTarget(groups, id);
    },
  };
}

function describeService(service: V1Service, aws: SimulatedAws): LabService | undefined {
  const hostname = service.status?.loadBalancer?.ingress?.[0]?.hostname;
  const balancer = [...aws.model.loadBalancers.values()].find(({ dnsName }) => dnsName === hostname);
  if (hostname === undefined || balancer === undefined) return undefined;
  const vips = balancer.zones.map(({ zone, vip }) => ({ zone, address: vip }));
  const described = describeBalanced(service, hostname, vips);
  return described && { ...described, loadBalancerArn: balancer.arn, targetGroupArns: targetGroupsOf(balancer) };
}

function targetGroupsOf(balancer: LoadBalancer): readonly string[] {
  return [...new Set([...balancer.listeners.values()].map((listener) => listener.targetGroupArn))];
}

function describeTarget(groups: readonly TargetGroup[], id: string): string {
  const targets = groups.flatMap((group) => [...group.targets.values()].filter((target) => target.id === id));
  if (targets.length === 0) return 'is not registered';
  return targets.map(({ state, reason = 'no reason' }) => `is ${state} (${reason})`).join(' and ');
}

/** Healthy, and the data plane knows it. */
function getsConnections(group: TargetGroup, id: string): boolean {
  const healthy = [...group.targets.values()].some((target) => target.id === id && target.state === 'healthy');
  return healthy && [...group.routes.values()].some((route) => route.id === id && route.belief === 'healthy');
}
