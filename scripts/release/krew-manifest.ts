import { stringify } from 'yaml';

/** What differs between the manifests of two releases. */
interface KrewRelease {
  readonly version: string;
  /** Where the archive can be downloaded. */
  readonly uri: string;
  /** Of the archive, hexadecimal. */
  readonly sha256: string;
}

/** The manifest from which krew installs the plugin (krew.sigs.k8s.io, "Writing Krew plugin manifests"). */
export function krewManifest({ version, uri, sha256 }: KrewRelease): string {
  return stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'nodeferry' },
    spec: {
      version: `v${version}`,
      shortDescription: 'Replaces the nodes of a pool, drops no connection',
      description:
        'Upgrades EKS managed node groups behind live load balancers: plans, starts, shows, pauses and aborts runs of nodeferry, whose workers run elsewhere, and reports what was sent and lost.',
      caveats: 'Needs Node.js 22.19 or later on the PATH, and a Temporal server with a nodeferry worker.',
      platforms: [
        {
          selector: { matchExpressions: [{ key: 'os', operator: 'In', values: ['linux', 'darwin'] }] },
          uri,
          sha256,
          files: [{ from: '*', to: '.' }],
          bin: 'kubectl-nodeferry',
        },
      ],
    },
  });
}
