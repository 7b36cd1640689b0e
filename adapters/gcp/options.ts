import type { AuthClient } from 'google-auth-library';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Clock } from '../../ports/clock.ts';

/** How the clients of Google's services work. */
export interface GcpOptions {
  readonly clock: Clock;
  /** Project of the clusters and their VMs. */
  readonly project: string;
  /** Default: Application Default Credentials, which with Workload Identity come from the metadata server. */
  readonly auth?: AuthClient;
  /** Attempts of one call that may be repeated, including the first, before its error is reported. Default 5. */
  readonly maxAttempts?: number;
  /** Longest time for one call, ms. Default 15,000. */
  readonly callTimeoutMs?: number;
  /** Where GKE listens. Default Google's own address. */
  readonly gkeEndpoint?: { readonly host: string; readonly port: number };
  /** Where Compute Engine listens, ending with a slash. Default Google's own address. */
  readonly computeUrl?: string;
  /** Where Resource Manager listens, which tells what the caller may do; ending with a slash. Default Google's own address. */
  readonly resourceManagerUrl?: string;
}

const loginHint =
  'Log in with: gcloud auth application-default login. In a cluster, bind the Kubernetes service account of the pod: see docs/worker.md.';

const scope = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * The credentials for all clients. Without them, each client would look for its own, and the one of GKE would ask the metadata server for them.
 *
 * That of GKE "takes a few seconds to start accepting requests on a newly created Pod" (GKE documentation, "Workload Identity", limitations), and whether
 * there is one is asked once for each process (gcp-metadata, src/index.ts, isAvailable): that has to be forgotten, or a worker would never get credentials
 * (googleapis/google-auth-library-nodejs, issue 1236). @throws NodeferryError Forbidden
 */
export async function authClientOf({ auth, project }: GcpOptions): Promise<AuthClient> {
  if (auth !== undefined) return auth;
  const { GoogleAuth, gcpMetadata } = await import('google-auth-library');
  try {
    // Without the project, gcloud would be started to find one (google-auth-library, googleauth.js, getDefaultServiceProjectId).
    return await new GoogleAuth({ scopes: [scope], projectId: project }).getClient();
  } catch (cause) {
    gcpMetadata.resetIsAvailableCache();
    throw new NodeferryError(
      { code: 'Forbidden', message: `project ${project}: ${(cause as Error).message}`, hint: loginHint },
      { cause, lacksCredentials: true },
    );
  }
}
