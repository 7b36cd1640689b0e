import { expect, test, vi } from 'vitest';
import { openCluster } from '../../../wiring/cluster.ts';

test.each([
  { env: { KUBECONFIG: '/nonexistent/config' }, says: 'what KUBECONFIG names, /nonexistent/config, cannot be read' },
  { env: { KUBECONFIG: undefined, HOME: '/nonexistent' }, says: '~/.kube/config does not exist' },
])('a kubeconfig that is not there ($env) is named', ({ env, says }) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    expect(() => openCluster({})).toThrow(says);
  } finally {
    vi.unstubAllEnvs();
  }
});
