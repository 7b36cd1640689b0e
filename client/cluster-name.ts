import { readClusterName } from '../adapters/kubernetes/kubeconfig.ts';
import { regionFromEnvironment } from '../wiring/providers.ts';
import { type ClusterOptions, clusterOptionsOf } from './cluster-options.ts';

/** Options of commands that work without a policy, and so are told by other means which cluster it is. */
interface NamedCluster extends ClusterOptions {
  readonly cluster?: string | undefined;
  readonly region?: string | undefined;
}

/** Name and region of a cluster without a policy: from options, else from the kubeconfig, the region else from the environment. */
export function nameCluster(options: NamedCluster): { readonly name: string; readonly region?: string } {
  const named = readClusterName(clusterOptionsOf(options));
  const region = options.region ?? named.region ?? regionFromEnvironment(process.env);
  return { name: options.cluster ?? named.name, ...(region === undefined ? {} : { region }) };
}
