import { goTool } from './go-tool.ts';
import { googleControllersSource } from './sources.ts';

/** Version of ingress-gce that lab/google-controllers/go.mod pins. It names itself so to Compute Engine. */
const ingressGceVersion = 'v1.41.1';

/** The real GCE cloud controller manager and ingress-gce: about 1,300 packages, which only what runs on GKE's controllers needs. */
export const googleControllers = goTool({
  name: 'google-controllers',
  label: 'Controllers of GKE',
  typicalSeconds: 240,
  source: googleControllersSource,
  programs: () => ['./cloud-controller-manager', 'k8s.io/ingress-gce/cmd/glbc'],
  values: { 'k8s.io/ingress-gce/pkg/version.Version': ingressGceVersion },
  fix: 'Go 1.26.5 or later, access to a Go module proxy (GOPROXY) and about 3 GB of disk are needed once. Compiled packages are kept, so another attempt continues where this one stopped.',
});
