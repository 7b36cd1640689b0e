import { expect, test } from 'vitest';
import { mapVmStatus } from '../../../adapters/gke/map.ts';

/** Every value that Google's client knows (Compute Engine API, enum Instance.Types.Status). */
test.each([
  ['PENDING', 'pending'],
  ['PROVISIONING', 'pending'],
  ['STAGING', 'pending'],
  ['RUNNING', 'running'],
  ['REPAIRING', 'running'],
  ['PENDING_STOP', 'terminating'],
  ['STOPPING', 'terminating'],
  ['DEPROVISIONING', 'terminating'],
  ['SUSPENDING', 'stopped'],
  ['SUSPENDED', 'stopped'],
  ['STOPPED', 'stopped'],
  ['TERMINATED', 'stopped'],
] as const)('a VM that is %s is %s', (status, state) => {
  expect(mapVmStatus(status)).toBe(state);
});
