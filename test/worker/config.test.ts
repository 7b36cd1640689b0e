import { describe, expect, test } from 'vitest';
import { NodeferryError } from '../../core/model/problem.ts';
import { readConfig } from '../../worker/config.ts';

const minimal = { AWS_REGION: 'eu-west-1', TEMPORAL_CONFIG_FILE: '/nonexistent/temporal.toml' };

function problemOf(env: Record<string, string>) {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof NodeferryError) return error.problem;
    throw error;
  }
  return undefined;
}

describe('readConfig', () => {
  test.each([
    [{ AWS_DEFAULT_REGION: 'eu-west-2' }, 'eu-west-2'],
    [{ AWS_REGION: '', AWS_DEFAULT_REGION: 'eu-west-2' }, 'eu-west-2'],
    [{ AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-west-2' }, 'eu-west-1'],
    [{ NODEFERRY_REGION: 'eu-west-3', AWS_REGION: 'eu-west-1' }, 'eu-west-3'],
  ])('reads the region from %j', (env, region) => {
    expect(readConfig(env).awsRegion).toBe(region);
  });

  test('needs no region of AWS where the project of Google Cloud is known', () => {
    const { awsRegion, google } = readConfig({ ...minimal, AWS_REGION: '', GOOGLE_CLOUD_PROJECT: 'shop-prod' });
    expect({ awsRegion, google }).toEqual({ awsRegion: undefined, google: { project: 'shop-prod' } });
  });

  test('reads where the services of Google Cloud are', () => {
    const where = { NODEFERRY_GKE_ENDPOINT: 'localhost:8443', NODEFERRY_COMPUTE_URL: 'http://127.0.0.1:8080' };
    const manager = { NODEFERRY_RESOURCE_MANAGER_URL: 'https://manager.example.com/' };
    expect(readConfig({ ...minimal, ...where, ...manager }).google).toEqual({
      gkeEndpoint: { host: 'localhost', port: 8443 },
      computeUrl: 'http://127.0.0.1:8080/',
      resourceManagerUrl: 'https://manager.example.com/',
    });
  });

  test('needs nothing but a region', () => {
    expect(readConfig(minimal)).toMatchObject({
      connection: { address: 'localhost:7233' },
      namespace: 'default',
      taskQueue: 'nodeferry',
      health: { host: '127.0.0.1', port: 8686 },
      metrics: { host: '127.0.0.1', port: 9464 },
      awsRegion: 'eu-west-1',
      google: {},
      logLevel: 'info',
    });
  });

  test('reads Temporal’s own variables', () => {
    const config = readConfig({ ...minimal, TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_NAMESPACE: 'ops' });
    expect(config.connection.address).toBe('temporal:7233');
    expect(config.namespace).toBe('ops');
  });

  test('switches the small servers off', () => {
    const config = readConfig({ ...minimal, NODEFERRY_HEALTH_ADDRESS: 'off', NODEFERRY_METRICS_ADDRESS: 'off' });
    expect([config.health, config.metrics]).toEqual([undefined, undefined]);
  });

  test.each([
    [{}, 'AWS_REGION'],
    [{ NODEFERRY_HEALTH_ADDRESS: '8080' }, 'NODEFERRY_HEALTH_ADDRESS'],
    [{ NODEFERRY_METRICS_ADDRESS: 'host:99999' }, 'NODEFERRY_METRICS_ADDRESS'],
    [{ NODEFERRY_ELB_RATE: 'fast' }, 'NODEFERRY_ELB_RATE'],
    [{ NODEFERRY_GCE_RATE: '-1' }, 'NODEFERRY_GCE_RATE'],
    [{ NODEFERRY_MAX_STEPS: '0' }, 'NODEFERRY_MAX_STEPS'],
    [{ NODEFERRY_LOG_LEVEL: 'loud' }, 'NODEFERRY_LOG_LEVEL'],
    [{ NODEFERRY_GKE_ENDPOINT: 'localhost' }, 'NODEFERRY_GKE_ENDPOINT'],
    [{ NODEFERRY_COMPUTE_URL: '127.0.0.1:8080' }, 'NODEFERRY_COMPUTE_URL'],
    [{ NODEFERRY_RESOURCE_MANAGER_URL: 'manager.example.com' }, 'NODEFERRY_RESOURCE_MANAGER_URL'],
  ])('names the variable that is wrong: %o', (env: Record<string, string>, name) => {
    const problem = problemOf(name === 'AWS_REGION' ? env : { ...minimal, ...env });
    expect(problem?.code).toBe('InvalidArgument');
    expect(problem?.message).toContain(name);
    expect(problem?.hint).toMatch(/^Set it to /);
  });
});
