import { goTool } from './go-tool.ts';
import { krewSource } from './sources.ts';

/** Krew, which the test of the kubectl plugin installs it with, and what checks manifests for its index. */
export const krew = goTool({
  name: 'krew',
  label: 'Krew',
  typicalSeconds: 15,
  source: krewSource,
  programs: () => ['sigs.k8s.io/krew/cmd/krew', 'sigs.k8s.io/krew/cmd/validate-krew-manifest'],
  fix: 'Access to a Go module proxy (GOPROXY) is needed once.',
});
