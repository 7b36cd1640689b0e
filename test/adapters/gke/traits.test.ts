import { describe, expect, test } from 'vitest';
import { gkeTraits } from '../../../adapters/gke/traits.ts';

const pool = { cluster: 'prod', region: 'europe-west1', locator: { project: 'shop-prod' } };
const vm = 'gke-prod-web-1a2b3c4d-x7kq';
const node = { name: vm, instanceId: vm, zone: 'europe-west1-b' };

describe('what an operator is told about GKE', () => {
  test('is a command that deletes exactly that VM, through the group that would create it again', () => {
    expect(gkeTraits.terminateByHand(pool, node)).toBe(
      'gcloud compute instance-groups managed delete-instances gke-prod-web-1a2b3c4d-grp' +
        ` --instances=${vm} --zone=europe-west1-b --project=shop-prod`,
    );
  });

  test('is a command that lists the pools of its cluster', () => {
    expect(gkeTraits.listPools(pool)).toBe(
      'gcloud container node-pools list --cluster=prod --location=europe-west1 --project=shop-prod',
    );
  });

  test('names no project where the policy names none', () => {
    const { locator: _unknown, ...inUsualProject } = pool;
    expect(gkeTraits.listPools(inUsualProject)).not.toContain('--project');
    expect(gkeTraits.terminateByHand(inUsualProject, node)).not.toContain('--project');
  });
});
