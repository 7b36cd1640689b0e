import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../adapters/clock/system-clock.ts';
import { createElbFamily } from '../../../adapters/elb/family.ts';
import { createGoogleFamily } from '../../../adapters/gcp/load-balancers/family.ts';

const aws = createElbFamily({ clock: systemClock, region: 'eu-west-1' });
const google = createGoogleFamily({ clock: systemClock });

describe('of the load balancers of two clouds', () => {
  test.each([
    [['web-1a2b.elb.eu-west-1.amazonaws.com'], 'AWS'],
    [['34.140.1.2'], 'Google Cloud'],
    [['2600:1900::1', '34.140.1.2'], 'Google Cloud'],
    [['web-1a2b.elb.eu-west-1.amazonaws.com', '34.140.1.2'], 'AWS'],
  ])('those at %j are claimed by %s alone', (hostnames, title) => {
    expect([aws, google].filter(({ claims }) => claims({ hostnames })).map((one) => one.title)).toEqual([title]);
  });

  test.each([
    ['aws:///eu-west-1a/i-0abc', 'AWS'],
    ['gce://shop-prod/europe-west1-b/gke-prod-web-1', 'Google Cloud'],
    ['azure:///subscriptions/1', undefined],
    ['', undefined],
  ])('node %s is in %s', (providerId, title) => {
    expect([aws, google].find(({ hasNode }) => hasNode(providerId))?.title).toBe(title);
  });

  test('none has a kind of the other', () => {
    expect(aws.kinds.filter((kind) => google.kinds.includes(kind))).toEqual([]);
  });
});
