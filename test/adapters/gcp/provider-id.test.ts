import { expect, test } from 'vitest';
import { findPlace } from '../../../adapters/gcp/provider-id.ts';

test.each([
  [['gce://shop-prod/europe-west1-b/gke-prod-web-1'], { project: 'shop-prod', region: 'europe-west1' }],
  [['gce://example.com:shop/us-central1-ai1a/n'], { project: 'example.com:shop', region: 'us-central1' }],
  [['', 'aws:///eu-west-1a/i-1', 'gce://p/me-central2-a/n'], { project: 'p', region: 'me-central2' }],
  [['aws:///eu-west-1a/i-1'], undefined],
  [['gce://p/nowhere'], undefined],
  [[], undefined],
])('nodes %j are at %o', (providerIds, place) => {
  expect(findPlace(providerIds)).toEqual(place);
});
