import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatPolicyProblem, parsePolicy } from '../../policy-file/parse.ts';

const head = `apiVersion: nodeferry.dev/v1alpha1
kind: PoolUpgrade
metadata:
  name: test
spec:
  cluster:
    name: production
    region: eu-west-1
  pool:
    name: web
`;

function problemsOf(text: string): readonly string[] {
  const result = parsePolicy(text, 'p.yaml');
  return result.ok ? [] : result.problems.map(formatPolicyProblem);
}

function policyOf(text: string) {
  const result = parsePolicy(text, 'p.yaml');
  if (!result.ok) throw new Error(result.problems.map(formatPolicyProblem).join('\n'));
  return result.policy;
}

describe('a policy', () => {
  test('says how many stalled nodes do not stop the others: a whole number, none if it is absent', () => {
    const withRollout = (rollout: string) => `${head}  rollout: ${rollout}\n`;
    expect(policyOf(withRollout('{ maxFailures: 2 }')).rollout).toEqual({ zones: [], maxFailures: 2 });
    expect(policyOf(withRollout('{ zones: [a] }')).rollout).toEqual({ zones: ['a'] });
    for (const wrong of ['-1', '1.5', 'all', '1001'])
      expect(problemsOf(withRollout(`{ maxFailures: ${wrong} }`)).join()).toContain('spec.rollout.maxFailures');
  });

  test('with only the required fields gets every default', () => {
    expect(policyOf(head)).toEqual({
      name: 'test',
      cluster: { name: 'production', region: 'eu-west-1' },
      pool: { provider: 'eks', name: 'web' },
      target: { poolName: 'web-next', version: undefined, releaseVersion: undefined, launchTemplateVersion: undefined },
      nodeSurge: { share: 1 },
      guard: { defaultMinServing: 0.75, maxInFlight: 100, minServing: {}, acceptUnprotected: [] },
      waits: {
        propagationMs: 180_000,
        endpointPropagationMs: 3000,
        marginMs: 15_000,
        pollIntervalMs: 15_000,
        stabilizationMs: 5000,
        stabilizationAfterOutageMs: 60_000,
        maxConnectionAgeMs: {},
        deadlines: {
          nodesReadyMs: 1_200_000,
          capacityMs: 300_000,
          deregistrationMs: 120_000,
          registrationMs: 120_000,
          connectionDrainMs: 1_200_000,
          evictionMs: 900_000,
          replacementsMs: 900_000,
          endpointRemovalMs: 300_000,
          terminationMs: 900_000,
          jobCompletionMs: 3_600_000,
          guardMs: 3_600_000,
        },
      },
      drain: {
        deleteEmptyDirData: false,
        force: false,
        doNotDisrupt: 'refuse',
        jobs: 'evict',
        unreachableNodes: 'ask',
        keepEndpoints: [],
      },
      podSurge: { mode: 'auto', max: 'maxSurge', workloads: {} },
      traffic: { probes: [], lossBudget: 0, watchAfterMs: 30_000 },
      disabledRules: [],
    });
  });

  test('can set every field', () => {
    const policy =
      policyOf(`${head}  target: {poolName: blue, version: "1.34", releaseVersion: 1.34.2-20251103, launchTemplateVersion: "7"}
  nodeSurge: 25%
  guard:
    defaultMinServing: 50%
    maxInFlight: 2
    minServing: {default/web: 3, default/api: 80%}
    acceptUnprotected: [default/old, default/old]
  waits:
    propagation: 1m
    endpointPropagation: 500ms
    margin: 1s
    pollInterval: 2s
    stabilization: 3s
    stabilizationAfterOutage: 2m
    maxConnectionAge: {'*': 5m, default/api: 40s}
    deadlines: {nodesReady: 1h, deregistration: 1m, registration: 90s, connectionDrain: 2m, eviction: 3m, replacements: 4m, endpointRemoval: 5m, termination: 6m, guard: 7m, jobCompletion: 8m}
  drain: {deleteEmptyDirData: true, force: true, doNotDisrupt: wait, jobs: wait, unreachableNodes: terminate, keepEndpoints: [default/mesh]}
  podSurge:
    mode: auto
    max: 50%
    workloads: {default/web: {max: maxSurge}, default/api: {mode: off}, default/db: {mode: required, max: 100%}}
  traffic:
    probes:
      - {name: web, urls: ['http://web.example/healthz'], ratePerSecond: 20, timeout: 2s}
    lossBudget: 5
    watchAfter: 10s
  disabledRules: [capacity-guard, capacity-guard]
`);
    expect(policy.target).toEqual({
      poolName: 'blue',
      version: '1.34',
      releaseVersion: '1.34.2-20251103',
      launchTemplateVersion: '7',
    });
    expect(policy.nodeSurge).toEqual({ share: 0.25 });
    expect(policy.guard).toEqual({
      defaultMinServing: 0.5,
      maxInFlight: 2,
      minServing: { 'default/web': { targets: 3 }, 'default/api': { share: 0.8 } },
      acceptUnprotected: ['default/old'],
    });
    expect(policy.waits).toMatchObject({
      propagationMs: 60_000,
      endpointPropagationMs: 500,
      marginMs: 1000,
      pollIntervalMs: 2000,
      stabilizationMs: 3000,
      stabilizationAfterOutageMs: 120_000,
    });
    expect(policy.waits.maxConnectionAgeMs).toEqual({ '*': 300_000, 'default/api': 40_000 });
    expect(policy.waits.deadlines).toEqual({
      nodesReadyMs: 3_600_000,
      capacityMs: 300_000,
      deregistrationMs: 60_000,
      registrationMs: 90_000,
      connectionDrainMs: 120_000,
      evictionMs: 180_000,
      replacementsMs: 240_000,
      endpointRemovalMs: 300_000,
      terminationMs: 360_000,
      jobCompletionMs: 480_000,
      guardMs: 420_000,
    });
    expect(policy.drain).toEqual({
      deleteEmptyDirData: true,
      force: true,
      doNotDisrupt: 'wait',
      jobs: 'wait',
      unreachableNodes: 'terminate',
      keepEndpoints: ['default/mesh'],
    });
    expect(policy.podSurge).toEqual({
      mode: 'auto',
      max: 0.5,
      workloads: {
        'default/web': { mode: 'auto', max: 'maxSurge' },
        'default/api': { mode: 'off', max: 0.5 },
        'default/db': { mode: 'required', max: 1 },
      },
    });
    expect(policy.traffic).toEqual({
      probes: [{ name: 'web', urls: ['http://web.example/healthz'], ratePerSecond: 20, timeoutMs: 2000 }],
      lossBudget: 5,
      watchAfterMs: 10_000,
    });
    expect(policy.disabledRules).toEqual(['capacity-guard']);
  });

  test('allows more nodes in progress with pod surge, unless it sets maxInFlight', () => {
    expect(policyOf(`${head}  podSurge: {mode: off}\n`).guard.maxInFlight).toBe(10);
    expect(
      policyOf(`${head}  podSurge: {mode: off, workloads: {default/web: {mode: required}}}\n`).guard.maxInFlight,
    ).toBe(100);
    expect(policyOf(`${head}  guard: {maxInFlight: 3}\n  podSurge: {mode: auto}\n`).guard.maxInFlight).toBe(3);
  });

  test('can be written as JSON', () => {
    const spec = { cluster: { name: 'c', region: 'eu-west-1' }, pool: { name: 'web' } };
    const text = JSON.stringify({
      apiVersion: 'nodeferry.dev/v1alpha1',
      kind: 'PoolUpgrade',
      metadata: { name: 'j' },
      spec,
    });
    expect(policyOf(text).name).toBe('j');
  });

  test('warns of rules that are off, with their position', () => {
    const result = parsePolicy(`${head}  disabledRules: [capacity-guard]\n`, 'p.yaml');
    expect(result.ok && result.warnings.map(formatPolicyProblem)).toEqual([
      'p.yaml:11:3 spec.disabledRules: the run can lose requests, because these rules are off: capacity-guard',
    ]);
  });

  test.each(readdirSync(join(import.meta.dirname, '../../examples')).filter((file) => file.endsWith('.yaml')))(
    'in examples/%s is valid',
    (file) => {
      expect(problemsOf(readFileSync(join(import.meta.dirname, '../../examples', file), 'utf8'))).toEqual([]);
    },
  );
});

describe('the name of the new pool', () => {
  test.each([
    ['{version: "1.34"}', 'web', 'web-1-34'],
    ['{version: "1.34"}', 'web-1-33', 'web-1-34'],
    ['{releaseVersion: 1.34.2-20251103}', 'web', 'web-1-34-2-20251103'],
    ['{launchTemplateVersion: "5"}', 'web', 'web-lt-5'],
    ['{poolName: green, version: "1.34"}', 'web', 'green'],
  ])('with target %s for pool %s is %s', (target, pool, expected) => {
    expect(policyOf(`${head.replace('name: web', `name: ${pool}`)}  target: ${target}\n`).target.poolName).toBe(
      expected,
    );
  });

  test('must differ from the old one', () => {
    expect(problemsOf(`${head}  target: {poolName: web}\n`)).toEqual([
      "p.yaml:11:22 spec.target.poolName: 'web' is the name of the pool to replace; allowed: a name that differs from spec.pool.name, because this provider replaces no pool under its own name",
    ]);
    expect(problemsOf(`${head.replace('name: web', 'name: web-1-34')}  target: {version: "1.34"}\n`)[0]).toContain(
      'is the name of the pool to replace',
    );
  });

  test('is that of a pool to adopt, which exists', () => {
    const adopted = policyOf(`${head}  target: {poolName: blue, adopt: true}\n`);
    expect(adopted).toMatchObject({ adoptTarget: true, target: { poolName: 'blue', version: undefined } });
    expect(adopted.target).not.toHaveProperty('adopt');
    expect(policyOf(`${head}  target: {poolName: blue, adopt: false}\n`)).not.toHaveProperty('adoptTarget');
  });

  test.each([
    [
      '{adopt: true}',
      'p.yaml:11:3 spec.target.poolName: this field is required with adopt; allowed: the name of a pool that exists',
    ],
    [
      '{poolName: web, adopt: true}',
      "p.yaml:11:22 spec.target.poolName: 'web' is the name of the pool to replace; allowed: the name of another pool that exists",
    ],
    [
      '{poolName: blue, adopt: true, version: "1.34"}',
      'p.yaml:11:41 spec.target.version: a pool that is adopted stays as it is; allowed: no settings with adopt: true',
    ],
  ])('can not be adopted with %s', (target, problem) => {
    expect(problemsOf(`${head}  target: ${target}\n`)).toEqual([problem]);
  });

  test('must not be longer than EKS allows', () => {
    const long = 'w'.repeat(60);
    expect(problemsOf(`${head.replace('name: web', `name: ${long}`)}  target: {version: "1.34"}\n`)[0]).toMatch(
      /^p\.yaml:10:5 spec\.target\.poolName: the default 'w+-1-34' is longer than 63 characters/,
    );
  });
});

describe('a problem has file, line, column, field, the value found and the values allowed', () => {
  const duration = 'allowed: a duration with units, such as 300ms, 15s, 5m or 1h30m';

  test.each([
    [
      '  nodeSurge: 0',
      "p.yaml:11:14 spec.nodeSurge: '0' is not allowed here; allowed: a whole number of instances from 1 to 1000, or a share from 1% to 100%, such as 25%",
    ],
    [
      '  nodeSurge: 0%',
      "p.yaml:11:14 spec.nodeSurge: '0%' is not allowed here; allowed: a whole number of instances from 1 to 1000, or a share from 1% to 100%, such as 25%",
    ],
    [
      '  nodeSurge: 120%',
      "p.yaml:11:14 spec.nodeSurge: '120%' is not allowed here; allowed: a whole number of instances from 1 to 1000, or a share from 1% to 100%, such as 25%",
    ],
    [
      '  guard: {maxInFlight: 0}',
      "p.yaml:11:24 spec.guard.maxInFlight: '0' is not allowed here; allowed: a whole number from 1 to 1000",
    ],
    [
      '  guard: {maxInFlight: two}',
      "p.yaml:11:24 spec.guard.maxInFlight: 'two' is not allowed here; allowed: a whole number from 1 to 1000",
    ],
    [
      '  guard: {defaultMinServing: 0.75}',
      "p.yaml:11:30 spec.guard.defaultMinServing: '0.75' is not allowed here; allowed: a share from 0% to 100%, such as 75%",
    ],
    [
      '  guard: {minServing: {default/web: many}}',
      "p.yaml:11:37 spec.guard.minServing['default/web']: 'many' is not allowed here; allowed: a whole number of serving targets, such as 3, or a share, such as 50%",
    ],
    [
      '  guard: {minServing: {web: 3}}',
      "p.yaml:11:24 spec.guard.minServing.web: the name 'web' is not allowed here; allowed: a Service as namespace/name",
    ],
    [
      '  guard: {acceptUnprotected: [old]}',
      "p.yaml:11:31 spec.guard.acceptUnprotected[0]: 'old' is not allowed here; allowed: a Service as namespace/name",
    ],
    ['  waits: {pollInterval: 15}', `p.yaml:11:25 spec.waits.pollInterval: '15' is not allowed here; ${duration}`],
    [
      '  waits: {deadlines: {guard: soon}}',
      `p.yaml:11:30 spec.waits.deadlines.guard: 'soon' is not allowed here; ${duration}`,
    ],
    [
      '  waits: {maxConnectionAge: {api: 5m}}',
      "p.yaml:11:30 spec.waits.maxConnectionAge.api: the name 'api' is not allowed here; allowed: a Service as namespace/name, or '*'",
    ],
    [
      '  target: {version: 1.30}',
      'p.yaml:11:21 spec.target.version: \'1.30\' is not allowed here; allowed: a Kubernetes version in quotes, such as "1.34"',
    ],
    [
      '  drain: {jobs: waits}',
      "p.yaml:11:17 spec.drain.jobs: 'waits' is not allowed here; allowed: one of evict, wait. Did you mean wait?",
    ],
    [
      '  podSurge: {mode: on}',
      "p.yaml:11:20 spec.podSurge.mode: 'on' is not allowed here; allowed: one of auto, off, required",
    ],
    [
      '  podSurge: {max: 150%}',
      "p.yaml:11:19 spec.podSurge.max: '150%' is not allowed here; allowed: maxSurge, or a share from 0% to 100%, such as 50%",
    ],
    [
      '  podSurge: {workloads: {web: {mode: off}}}',
      "p.yaml:11:26 spec.podSurge.workloads.web: the name 'web' is not allowed here; allowed: a Deployment as namespace/name",
    ],
    ['  drain: {force: maybe}', "p.yaml:11:18 spec.drain.force: 'maybe' is not allowed here; allowed: true or false"],
    [
      '  drain: yes',
      "p.yaml:11:10 spec.drain: 'yes' is not allowed here; allowed: an object with deleteEmptyDirData, force, doNotDisrupt, jobs, unreachableNodes, keepEndpoints",
    ],
    [
      '  traffic: {probes: [{name: a, urls: [ftp://x]}]}',
      "p.yaml:11:39 spec.traffic.probes[0].urls[0]: 'ftp://x' is not allowed here; allowed: an http or https address",
    ],
    [
      '  traffic: {probes: [{name: a}]}',
      'p.yaml:11:22 spec.traffic.probes[0].urls: this field is required; allowed: a list of http or https addresses',
    ],
    [
      '  guard:',
      'p.yaml:11:9 spec.guard: an empty value is not allowed here; allowed: an object with defaultMinServing, maxInFlight, minServing, acceptUnprotected',
    ],
  ])('%s', (line, expected) => {
    expect(problemsOf(`${head}${line}\n`)).toEqual([expected]);
  });

  test('the message for a misspelt field suggests the right one', () => {
    expect(problemsOf(`${head}  waits: {propagatoin: 5m}\n`)).toEqual([
      'p.yaml:11:11 spec.waits.propagatoin: there is no such field; allowed: propagation, endpointPropagation, margin, pollInterval, stabilization, stabilizationAfterOutage, maxConnectionAge, deadlines. Did you mean propagation?',
    ]);
  });

  test('the message for a field that resembles no other has no suggestion', () => {
    const [problem] = problemsOf(`${head}  quux: 1\n`);
    expect(problem).toMatch(/^p\.yaml:11:3 spec\.quux: there is no such field; allowed: cluster, pool, /);
    expect(problem).not.toContain('Did you mean');
  });

  test('the message for a misspelt rule suggests the right one', () => {
    const [problem] = problemsOf(`${head}  disabledRules: [capacity-gard]\n`);
    expect(problem).toMatch(
      /^p\.yaml:11:19 spec\.disabledRules\[0\]: 'capacity-gard' .*Did you mean capacity-guard\?$/,
    );
  });

  test('a missing field is reported at its parent', () => {
    expect(problemsOf(head.replace('    region: eu-west-1\n', ''))).toEqual([
      'p.yaml:6:3 spec.cluster.region: this field is required; allowed: an AWS region, such as eu-west-1',
    ]);
    expect(problemsOf('kind: PoolUpgrade\n').map((problem) => problem.split(/[ :]+/)[3])).toEqual([
      'apiVersion',
      'metadata',
      'spec',
    ]);
  });

  test('all problems are reported at once, in the order of the file', () => {
    const text = head.replace('v1alpha1', 'v2').replace('region: eu-west-1', 'region: ""');
    expect(problemsOf(`${text}  extra: 1\n`).map((problem) => problem.split(':')[1])).toEqual(['1', '8', '11']);
  });

  test.each([
    ['', 'p.yaml:1:1: the file is empty; allowed: a PoolUpgrade'],
    [
      'just text',
      "p.yaml:1:1: 'just text' is not allowed here; allowed: an object with apiVersion, kind, metadata, spec",
    ],
    ['- a\n- b', 'p.yaml:1:1: a list is not allowed here; allowed: an object with apiVersion, kind, metadata, spec'],
  ])('%j', (text, expected) => {
    expect(problemsOf(text)).toEqual([expected]);
  });

  test('invalid YAML is reported with its position', () => {
    expect(problemsOf('a: 1\na: 2')).toEqual(["p.yaml:2:1: the field 'a' is here twice"]);
    expect(problemsOf('a: [1')[0]).toMatch(/^p\.yaml:1:\d+: /);
  });
});
