import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { plainStyle } from '../../client/output/style.ts';
import { summarizePolicy } from '../../client/view/policy-summary.ts';
import { type CheckedPolicy, renderValidation } from '../../client/view/validation.ts';
import { parsePolicy } from '../../policy-file/parse.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

function validate(args: readonly string[], input = '') {
  const env = { ...process.env, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['client/main.ts', 'validate', ...args], {
    cwd: root,
    encoding: 'utf8',
    input,
    env,
  });
  return { code: status, stdout, stderr };
}

const valid = `apiVersion: nodeferry.dev/v1alpha1
kind: PoolUpgrade
metadata: { name: web }
spec:
  cluster: { name: prod, region: eu-west-1 }
  pool: { name: web }
  target: { version: "1.36" }
  nodeSurge: 25%
  disabledRules: [remove-endpoints-before-eviction]
  schedule: { timeZone: UTC, windows: [{ days: [Sat, Sun], start: "02:00", end: "06:00" }] }
  rollout: { canary: { nodes: 2, soak: 30m }, zones: [a, b], approvals: { at: [canary] }, maxFailures: 1 }
`;

const broken = `apiVersion: nodeferry.dev/v1alpha1
kind: PoolUpgrade
metadata: { name: web }
spec:
  cluster: { name: prod }
  pool: { name: web }
  target: { version: "1.36" }
  guards: { maxInFlight: 4 }
  drain: { jobs: evicts }
`;

function checked(text: string, file: string): CheckedPolicy {
  const parsed = parsePolicy(text, file);
  const found = { file, valid: parsed.ok, problems: [], more: 0, warnings: [] };
  return parsed.ok
    ? { ...found, summary: summarizePolicy(parsed.policy), warnings: parsed.warnings }
    : { ...found, problems: parsed.problems, more: parsed.more };
}

describe('validate', () => {
  test('says of every policy that it is valid, with its pool, target, windows and rollout', () => {
    const found = validate(['-f', 'examples/minimal.yaml', '-f', 'examples/windows.yaml']);

    expect(found).toMatchObject({ code: 0, stderr: '' });
    expect(found.stdout).toMatch(/^examples\/minimal\.yaml: valid: production\/web → web-1-34 \(1\.34\); /);
    expect(found.stdout).toContain('windows: Mon-Thu 22:00-04:00 Europe/Berlin or first and last Sat');
  });

  test('refuses all when one has problems, and checks the others too', () => {
    const found = validate(['-f', 'examples/minimal.yaml', '-', 'no-such-file.yaml'], broken);

    expect(found).toMatchObject({ code: 64, stderr: '' });
    expect(found.stdout).toContain('examples/minimal.yaml: valid');
    expect(found.stdout).toContain('<stdin>: 3 problems');
    expect(found.stdout).toContain("no-such-file.yaml can't be read");
  });

  test('gives problems and warnings as data', () => {
    const [bad] = JSON.parse(validate(['-f', '-', '-o', 'json'], broken).stdout);
    const [good] = JSON.parse(validate(['-f', '-', '-o', 'json'], valid).stdout);

    expect(bad).toMatchObject({ file: '<stdin>', valid: false });
    expect(bad.problems[1]).toMatchObject({ line: 8, field: 'spec.guards', suggestion: 'guard' });
    expect(good).toMatchObject({
      valid: true,
      problems: [],
      summary: { pool: 'prod/web', target: 'web-1-36 (1.36)', windows: 'Sat, Sun 02:00-06:00 UTC' },
      warnings: [{ field: 'spec.disabledRules' }],
    });
  });

  test('needs a file', () => {
    expect(validate([])).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining('--file') });
  });
});

describe('renderValidation', () => {
  const all = [checked(valid, 'good.yaml'), checked(broken, 'bad.yaml')];

  test('fits 80 columns', () => {
    expect(`\n${renderValidation(all, { ...plainStyle, width: 80 }).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      good.yaml: valid: prod/web → web-1-36 (1.36); windows: Sat, Sun 02:00-06:00 UTC;
        rollout: canary of 2 nodes with a soak of 30m, zones a → b, approval at
        canary, continues beside 1 stalled node, node surge 25%
      good.yaml:9:3 warning: spec.disabledRules: the run can lose requests, because
        these rules are off: remove-endpoints-before-eviction
      bad.yaml: 3 problems
      bad.yaml:5:3 spec.cluster.region: this field is required
        fix: allowed: an AWS region, such as eu-west-1
      bad.yaml:8:3 spec.guards: there is no such field
        fix: did you mean guard? allowed: cluster, pool, target, nodeSurge, guard,
        waits, drain, podSurge, traffic, schedule, rollout, accept, disabledRules
      bad.yaml:9:18 spec.drain.jobs: 'evicts' is not allowed here
        fix: did you mean evict? allowed: one of evict, wait
      "
    `);
  });

  test('fits 160 columns', () => {
    expect(`\n${renderValidation(all, { ...plainStyle, width: 160 }).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      good.yaml: valid: prod/web → web-1-36 (1.36); windows: Sat, Sun 02:00-06:00 UTC; rollout: canary of 2 nodes with a soak of 30m, zones a → b, approval at canary,
        continues beside 1 stalled node, node surge 25%
      good.yaml:9:3 warning: spec.disabledRules: the run can lose requests, because these rules are off: remove-endpoints-before-eviction
      bad.yaml: 3 problems
      bad.yaml:5:3 spec.cluster.region: this field is required
        fix: allowed: an AWS region, such as eu-west-1
      bad.yaml:8:3 spec.guards: there is no such field
        fix: did you mean guard? allowed: cluster, pool, target, nodeSurge, guard, waits, drain, podSurge, traffic, schedule, rollout, accept, disabledRules
      bad.yaml:9:18 spec.drain.jobs: 'evicts' is not allowed here
        fix: did you mean evict? allowed: one of evict, wait
      "
    `);
  });
});
