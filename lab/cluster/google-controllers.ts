/** The real controllers of a GKE cluster's load balancers, pointed at the simulated Google. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GoogleControllerPaths } from '../../scripts/setup/install-google-controllers.ts';
import { start } from '../process.ts';
import { cloudControllerArguments } from './cloud-controller.ts';
import type { ControlPlaneProcess } from './control-plane.ts';

/** What the controllers must know about their cluster and its cloud. */
interface GoogleControllerSettings {
  readonly kubeconfig: string;
  /** For configuration and logs. */
  readonly folder: string;
  /** `https://HOST:PORT` of the simulated Compute Engine. */
  readonly computeUrl: string;
  /** `HOST:PORT` of its metadata server. */
  readonly metadataHost: string;
  /** The authority that has signed the certificate of Compute Engine, in PEM. */
  readonly authorityFile: string;
  readonly project: string;
  /** Any zone of the region. */
  readonly zone: string;
  readonly clusterName: string;
  /** The beginning of all names of nodes, which are the names of their VMs. */
  readonly nodePrefix: string;
  /** Of the host, free: one of 127.0.0.1 for the cloud controller manager, one of all addresses for ingress-gce. */
  readonly ports: { readonly cloudControllerManager: number; readonly ingressGce: number };
  /** Network namespace to run in; the caller's when absent. ingress-gce listens on all addresses of it. */
  readonly namespace?: string;
}

/**
 * The configuration of both (cloud-provider-gcp, providers/gce/gce.go, ConfigGlobal). With the project, the zone and the network given, no metadata
 * are read but tokens. `ILBSubsets` leaves internal load balancers to ingress-gce; without it, both would make one.
 */
function gceConfig({ computeUrl, project, zone, nodePrefix }: GoogleControllerSettings): string {
  return `[global]
api-endpoint = ${computeUrl}/compute/v1/
project-id = ${project}
local-zone = ${zone}
network-name = default
subnetwork-name = default
regional = true
node-tags = ${nodePrefix}
node-instance-prefix = ${nodePrefix}
alpha-features = ILBSubsets
`;
}

async function writeConfig(settings: GoogleControllerSettings): Promise<string> {
  const config = join(settings.folder, 'gce.conf');
  await writeFile(config, gceConfig(settings));
  return config;
}

/**
 * Starts the cloud controller manager: it initializes nodes, and makes a target pool for each Service of type LoadBalancer that has neither an annotation
 * nor a class of ingress-gce. Needs an API server that answers.
 */
export async function startGceCloudController(
  tools: GoogleControllerPaths,
  settings: GoogleControllerSettings,
): Promise<ControlPlaneProcess> {
  const config = await writeConfig(settings);
  return launch('gce-cloud-controller-manager', tools.cloudControllerManager, settings, [
    ...cloudControllerArguments('gce', { ...settings, config }),
    `--secure-port=${settings.ports.cloudControllerManager}`,
  ]);
}

/**
 * Starts ingress-gce with its controllers of passthrough load balancers and of network endpoint groups, without the one of Ingress. Every node must have
 * a provider ID and a pod CIDR: one pod on a node without stops the groups of its Service (pkg/neg/types/sync_errors.go, ErrEPNodePodCIDRNotSet).
 */
export async function startIngressGce(
  tools: GoogleControllerPaths,
  settings: GoogleControllerSettings,
): Promise<ControlPlaneProcess> {
  const config = await writeConfig(settings);
  return launch('ingress-gce', tools.glbc, settings, [
    '--running-in-cluster=false',
    `--kubeconfig=${settings.kubeconfig}`,
    `--config-file-path=${config}`,
    // Beside `api-endpoint`: the URLs that it writes into resources begin with this one.
    `--override-compute-api-endpoint=${settings.computeUrl}/compute/v1`,
    `--cluster-uid=${settings.clusterName}`,
    `--gke-cluster-name=${settings.clusterName}`,
    '--gke-cluster-type=REGIONAL',
    '--leader-elect=false',
    '--gate-l4-by-lock=false',
    // With Ingress it would wait for a default backend.
    '--run-ingress-controller=false',
    '--enable-negs-for-ingress=false',
    '--enable-ig-controller=true',
    '--run-l4-controller=true',
    '--run-l4-netlb-controller=true',
    '--enable-l4-neg=true',
    '--enable-l4-netlb-neg=true',
    '--enable-l4-netlb-neg-default=true',
    '--enable-readiness-reflector=true',
    `--healthz-port=${settings.ports.ingressGce}`,
  ]);
}

function launch(
  name: string,
  command: string,
  { folder, metadataHost, authorityFile, namespace }: GoogleControllerSettings,
  args: readonly string[],
): ControlPlaneProcess {
  // Go trusts that file instead of the system's (crypto/x509, root_unix.go).
  const env = { ...process.env, GCE_METADATA_HOST: metadataHost, SSL_CERT_FILE: authorityFile };
  const log = join(folder, `${name}.log`);
  return { name, child: start(command, args, { log, env, ...(namespace !== undefined && { namespace }) }) };
}
