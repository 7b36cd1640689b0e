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
    expect(readConfig(env).region).toBe(region);
  });

  test('needs nothing but a region', () => {
    expect(readConfig(minimal)).toMatchObject({
      connection: { address: 'localhost:7233' },
      namespace: 'default',
      taskQueue: 'nodeferry',
      health: { host: '127.0.0.1', port: 8686 },
      metrics: { host: '127.0.0.1', port: 9464 },
      region: 'eu-west-1',
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
    [{ NODEFERRY_MAX_STEPS: '0' }, 'NODEFERRY_MAX_STEPS'],
    [{ NODEFERRY_LOG_LEVEL: 'loud' }, 'NODEFERRY_LOG_LEVEL'],
  ])('names the variable that is wrong: %o', (env: Record<string, string>, name) => {
    const problem = problemOf(name === 'AWS_REGION' ? env : { ...minimal, ...env });
    expect(problem?.code).toBe('InvalidArgument');
    expect(problem?.message).toContain(name);
    expect(problem?.hint).toMatch(/^Set it to /);
  });
});
