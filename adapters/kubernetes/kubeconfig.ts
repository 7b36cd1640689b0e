import { KubeConfig } from '@kubernetes/client-node';

import { NodeferryError } from '../../core/model/problem.ts';

/** Reads where the cluster is and which identity to use. @throws NodeferryError ClusterUnreachable when the kubeconfig can't be used */
export function loadConfig(options: { readonly kubeconfig?: string; readonly context?: string }): {
  readonly config: KubeConfig;
  readonly server: string;
} {
  const config = new KubeConfig();
  try {
    if (options.kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(options.kubeconfig);
  } catch (error) {
    throw unusable(`${options.kubeconfig ?? usualKubeconfig()} cannot be read: ${(error as Error).message}`, error);
  }
  if (options.context !== undefined) {
    const known = config.getContexts().map((context) => context.name);
    if (!known.includes(options.context))
      throw unusable(`no context ${options.context}; there are: ${known.join(', ')}`);
    config.setCurrentContext(options.context);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw unusable(`context ${config.getCurrentContext()} names no cluster`);
  // The client library falls back to this when it finds neither a file nor a ServiceAccount.
  if (cluster.name === 'cluster' && cluster.server === 'http://localhost:8080')
    throw unusable(`${usualKubeconfig()} does not exist, and this process does not run in a pod with a ServiceAccount`);
  return { config, server: cluster.server.replace(/\/$/, '') };
}

/** Where kubectl looks for its kubeconfig, as text. */
function usualKubeconfig(): string {
  const named = process.env['KUBECONFIG'];
  return named ? `what KUBECONFIG names, ${named},` : '~/.kube/config';
}

function unusable(why: string, cause?: unknown): NodeferryError {
  return new NodeferryError(
    {
      code: 'ClusterUnreachable',
      message: `The kubeconfig cannot be used: ${why}`,
      hint: 'Set KUBECONFIG or name a kubeconfig and context that `kubectl --context` can use.',
    },
    { cause },
  );
}

/** A cluster, as far as the name of its kubeconfig entry tells. */
interface NamedCluster {
  readonly name: string;
  /** Absent when the name does not contain it. */
  readonly region?: string;
  /** What else a provider needs to find it. Absent when the name does not contain it. */
  readonly locator?: Readonly<Record<string, string>>;
}

/**
 * The name of the cluster that is connected to. `aws eks update-kubeconfig` names it by its ARN, eksctl by `NAME.REGION.eksctl.io` (AWS CLI reference,
 * update-kubeconfig; eksctl, pkg/utils/kubeconfig), `gcloud container clusters get-credentials` by `gke_PROJECT_LOCATION_NAME` (gcloud reference).
 * Other names are taken as they are.
 */
export function readClusterName(options: { readonly kubeconfig?: string; readonly context?: string }): NamedCluster {
  const name = loadConfig(options).config.getCurrentCluster()?.name ?? '';
  const [, arnRegion, arnName] = /^arn:[^:]+:eks:([^:]+):[^:]*:cluster\/(.+)$/.exec(name) ?? [];
  if (arnRegion !== undefined && arnName !== undefined) return { name: arnName, region: arnRegion };
  const [, ownName, ownRegion] = /^(.+)\.([a-z0-9-]+)\.eksctl\.io$/.exec(name) ?? [];
  if (ownName !== undefined && ownRegion !== undefined) return { name: ownName, region: ownRegion };
  const [, project, location, gkeName] = /^gke_([^_]+)_([^_]+)_([^_]+)$/.exec(name) ?? [];
  if (project !== undefined && location !== undefined && gkeName !== undefined)
    return { name: gkeName, region: location, locator: { project } };
  return { name };
}
