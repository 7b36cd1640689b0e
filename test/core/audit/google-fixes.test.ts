/** How settings of load balancers of Google Cloud are fixed: at what owns them, because its controller would write over another place. */
import { describe, expect, test } from 'vitest';
import { googleTerms } from '../../../adapters/gcp/load-balancers/cloud-terms.ts';
import { auditOf } from '../support/audited-cluster.ts';
import type { ServiceFacts, TargetGroupFacts } from '../support/model.ts';

const ofService = {
  id: 'regions/europe-west1/backendServices/k8s2-ab12-default-web-cd34',
  kind: 'gce-backend-service',
};
const ofInstanceGroups = {
  id: 'regions/europe-west1/backendServices/a1b2',
  kind: 'gce-backend-service',
  mayReadLabelWithCordon: true,
} as const;
const ofIngress = { id: 'global/backendServices/k8s-be-30080--ab12', kind: 'gce-backend-service' };
const pods = { kind: 'gce-pod-endpoints', membership: 'pods' } as const;
const behind = (name: string) => ({ ...pods, id: `global/backendServices/${name}#k8s1-neg` });
const targetPool = {
  id: 'regions/europe-west1/targetPools/a1b2',
  kind: 'gce-target-pool',
  terminatesConnectionsAfterDelay: 'unknown',
} as const;

const undrained = { deregistrationDelayMs: 0, terminatesConnectionsAfterDelay: true };

function fixOf(rule: string, group: Partial<TargetGroupFacts>, service: Partial<ServiceFacts> = {}) {
  const { findings } = auditOf({
    terms: googleTerms,
    service,
    group: { ...undrained, followsService: undefined, ...group } as Partial<TargetGroupFacts>,
  });
  const found = findings.filter((finding) => finding.rule === rule);
  expect(found).toHaveLength(1);
  return found[0]?.fix;
}

const update = 'gcloud compute backend-services update';

describe('a drain time', () => {
  test('is set at the backend service of a Service, where ingress-gce keeps it', () => {
    const fix = fixOf('SVC-030', ofService);

    expect(fix?.commands).toEqual([
      `${update} k8s2-ab12-default-web-cd34 --region=europe-west1 --connection-draining-timeout=120`,
    ]);
    expect(fix?.text).toContain('no controller takes it back');
  });

  test('is forgotten by the cloud controller manager, which is said', () => {
    const fix = fixOf('SVC-030', ofInstanceGroups);

    expect(fix?.commands).toEqual([`${update} a1b2 --region=europe-west1 --connection-draining-timeout=120`]);
    expect(fix?.text).toContain('may write that anew, without it');
  });

  test.each([ofIngress, behind('k8s1-ab12-default-web-80-cd34')])(
    'comes from a BackendConfig behind an Ingress: $id',
    (group) => {
      const fix = fixOf('SVC-030', group);

      expect(fix).not.toHaveProperty('commands');
      expect(fix?.yaml).toContain(
        'kind: BackendConfig\nmetadata:\n  namespace: default\n  name: web\nspec:\n  connectionDraining:\n    drainingTimeoutSec: 120',
      );
      expect(fix?.yaml).toContain(`cloud.google.com/backend-config: '{"default": "web"}'`);
    },
  );

  test('comes from a GCPBackendPolicy behind a Gateway', () => {
    const fix = fixOf('SVC-030', behind('gkegw1-rxra-default-web-80-cd34'));

    expect(fix).not.toHaveProperty('commands');
    expect(fix?.yaml).toContain(
      'spec:\n  default:\n    connectionDraining:\n      drainingTimeoutSec: 120\n  targetRef:\n    group: ""\n    kind: Service\n    name: web',
    );
  });

  test('is set at a backend service that somebody has made for groups of pods', () => {
    expect(fixOf('SVC-030', behind('shop'))?.commands).toEqual([
      `${update} shop --global --connection-draining-timeout=120`,
    ]);
  });

  test.each([
    ['a target pool', targetPool, {}],
    ['a Service with a UDP port', ofService, { usesUdp: true as const }],
  ])('is none that anything sets: %s', (_, group, service) => {
    const fix = fixOf('SVC-030', group, service);

    expect(fix).not.toHaveProperty('commands');
    expect(fix).not.toHaveProperty('yaml');
  });

  test('is as long as the pods need, and never longer than any can be', () => {
    const fix = fixOf('SVC-016', { ...ofService, deregistrationDelayMs: 10_000 });

    expect(fix?.text).toContain('connectionDraining.drainingTimeoutSec of its backend service');
    expect(fix?.commands).toEqual([
      `${update} k8s2-ab12-default-web-cd34 --region=europe-west1 --connection-draining-timeout=30`,
    ]);
  });
});

test('connections of an unhealthy backend persist again by default', () => {
  const fix = fixOf('SVC-009', { ...ofService, terminatesUnhealthyConnections: true });

  expect(fix?.commands?.[0]).toContain('--connection-persistence-on-unhealthy-backends=DEFAULT_FOR_PROTOCOL');
});

describe('affinity', () => {
  test.each([
    ['Ingress', ofIngress, 'affinityType: NONE'],
    ['Gateway', behind('gkegw1-rxra-default-web-80-cd34'), 'type: NONE'],
  ])('is switched off where the controller of an %s reads it', (_, group, field) => {
    expect(fixOf('SVC-024', { ...group, sticky: true })?.yaml).toContain(
      `sessionAffinity:\n${' '.repeat(field.startsWith('a') ? 4 : 6)}${field}`,
    );
  });
});

test('a tool that writes a Service is not told to change what is no part of it', () => {
  expect(fixOf('SVC-030', ofService, { writtenBy: 'Helm' })?.text).not.toContain('Helm');
});
