import { readClusterName } from '../adapters/kubernetes/kubeconfig.ts';
import { regionFromEnvironment } from '../wiring/environment.ts';
import type { ProviderName } from '../wiring/providers.ts';
import { type ClusterOptions, clusterOptionsOf } from './cluster-options.ts';

/** Options of commands that work without a policy, and so are told by other means which cluster it is. */
interface NamedCluster extends ClusterOptions {
  readonly cluster?: string | undefined;
  readonly region?: string | undefined;
}

/** A cluster of which no policy tells. */
interface ClusterName {
  readonly name: string;
  readonly region?: string;
  readonly locator?: Readonly<Record<string, string>>;
}

/** Name and place of a cluster without a policy: from options, else from the kubeconfig, the region else from the environment of its provider. */
export function nameCluster(options: NamedCluster, provider: ProviderName = 'eks'): ClusterName {
  const { locator, ...named } = readClusterName(clusterOptionsOf(options));
  const region = options.region ?? named.region ?? regionFromEnvironment(process.env, provider);
  return {
    name: options.cluster ?? named.name,
    ...(region === undefined ? {} : { region }),
    ...(locator === undefined ? {} : { locator }),
  };
}
