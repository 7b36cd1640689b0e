/** The real AWS cloud controller manager, pointed at the simulated AWS. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolPaths } from '../../scripts/setup/paths.ts';
import { AWS_PORT_INSIDE, NAMESPACES } from '../network-plan.ts';
import { start } from '../process.ts';
import type { ControlPlaneProcess } from './control-plane.ts';
import { logFile, STATE } from './state.ts';

/** What the cloud controller manager must know about its cluster. */
interface CloudControllerSettings {
  readonly region: string;
  readonly clusterName: string;
  readonly vpcId: string;
  /** Any subnet of the cluster. */
  readonly subnetId: string;
}

/** The environment in which AWS clients find the simulated AWS from inside the lab. */
export function awsEnvironment(region: string): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${AWS_PORT_INSIDE}`,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

/** The cloud configuration file (kubernetes/cloud-provider-aws, pkg/providers/v1/config). */
function cloudConfig(settings: CloudControllerSettings): string {
  return `[Global]
Region = ${settings.region}
VPC = ${settings.vpcId}
SubnetID = ${settings.subnetId}
KubernetesClusterID = ${settings.clusterName}
`;
}

/** Arguments of a cloud controller manager, whose framework is the same for all clouds: nodes and Services, without routes, and alone. */
export function cloudControllerArguments(
  cloud: 'aws' | 'gce',
  {
    config,
    kubeconfig,
    clusterName,
  }: { readonly config: string; readonly kubeconfig: string; readonly clusterName: string },
): readonly string[] {
  return [
    `--cloud-provider=${cloud}`,
    `--cloud-config=${config}`,
    `--kubeconfig=${kubeconfig}`,
    `--cluster-name=${clusterName}`,
    '--leader-elect=false',
    '--configure-cloud-routes=false',
    '--allocate-node-cidrs=false',
    '--use-service-account-credentials=false',
    '--controllers=cloud-node-controller,cloud-node-lifecycle-controller,service-lb-controller',
    '--authentication-skip-lookup=true',
    '--bind-address=127.0.0.1',
  ];
}

/** Starts the cloud controller manager; needs an API server that answers. */
export async function startCloudController(
  tools: ToolPaths,
  kubeconfig: string,
  settings: CloudControllerSettings,
): Promise<ControlPlaneProcess> {
  const name = 'aws-cloud-controller-manager';
  const config = join(STATE.pki, 'cloud.conf');
  await writeFile(config, cloudConfig(settings));
  const child = start(
    tools.ccm,
    cloudControllerArguments('aws', { config, kubeconfig, clusterName: settings.clusterName }),
    {
      namespace: NAMESPACES.controlPlane,
      log: logFile(name),
      env: { ...process.env, ...awsEnvironment(settings.region) },
    },
  );
  return { name, child };
}
