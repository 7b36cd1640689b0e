import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { formatPolicyProblem, parsePolicy } from '../../policy-file/parse.ts';
import { mutateText, seededPick } from '../support/mutate-text.ts';
import { everyField } from './all-fields.ts';

const root = join(import.meta.dirname, '../..');
const examples = readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.yaml'));
const validPolicies = [
  ...examples.map((file) => readFileSync(join(root, 'examples', file), 'utf8')),
  readFileSync(join(root, 'demo/policy.yaml'), 'utf8'),
  everyField,
];
/** The shortest policy that is valid. */
const head = `apiVersion: nodeferry.dev/v1alpha1
kind: PoolUpgrade
metadata:
  name: web
spec:
  cluster:
    name: production
    region: eu-west-1
  pool:
    name: web
  target:
    version: "1.34"
`;

afterEach(() => vi.restoreAllMocks());

/** The problems of a text, formatted; empty when it is a valid policy. */
function problemsOf(text: string): readonly string[] {
  const result = parsePolicy(text, 'p.yaml');
  return result.ok ? [] : result.problems.map(formatPolicyProblem);
}

/** CPU time in ms. Wall-clock time would depend on what else runs on this machine. */
function cpuMs(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function mapping(count: number, entry: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => entry(index)).join('');
}

describe('a text that is written to break the parser', () => {
  test.each([
    ['an alias without an anchor', 'a: *b\n', /^p\.yaml:1:4: the alias \*b has no anchor before it$/],
    ['an alias inside its own anchor', 'a: &b [*b]\n', /the alias \*b refers to a value that contains it/],
    [
      'aliases that multiply',
      `a: &a [x, x, x, x, x, x, x, x, x]\n${mapping(8, (i) => `${'abcdefghi'[i + 1]}: &${'abcdefghi'[i + 1]} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(', ')}]\n`)}`,
      /alias count/i,
    ],
    ['a merge key with a text', '%YAML 1.1\n---\na:\n  <<: 1m\n', /merging fields with << is not supported/],
    ['a list as a key', '? [a, b]\n: 1\n', /the name of a field must be a string/],
    ['a second document', 'a: 1\n---\nb: 2\n', /a second YAML document begins here; allowed: one policy per file/],
    ['a duplicate field', 'a: 1\na: 2\n', /^p\.yaml:2:1: the field 'a' is here twice$/],
    ['deep nesting', `a: ${'['.repeat(200_000)}`, /nested too deeply|./],
  ])('%s is reported with its position', (_name, text, expected) => {
    const stderr = vi.spyOn(process, 'emitWarning');
    const written = vi.spyOn(process.stderr, 'write');
    expect(problemsOf(text)[0]).toMatch(expected);
    expect(stderr).not.toHaveBeenCalled();
    expect(written).not.toHaveBeenCalled();
  });

  test('a name that JavaScript would lose is refused, with or without quotes', () => {
    for (const key of ['__proto__', '"__proto__"']) {
      expect(problemsOf(`${head}  guard: {minServing: {${key}: 3}}\n`)[0]).toContain(
        "the name '__proto__' is not allowed here",
      );
    }
  });

  test('an alias has the value of its anchor, and a wrong value is reported at the alias too', () => {
    expect(problemsOf(`${head}  guard: {minServing: {default/a: &f 3, default/b: *f}}\n`)).toEqual([]);
    expect(problemsOf(`${head}  guard: {minServing: {default/a: &f many, default/b: *f}}\n`)[1]).toMatch(
      /spec\.guard\.minServing\['default\/b'\]: 'many' is not allowed here/,
    );
  });

  test('control characters do not reach the terminal', () => {
    const text = `${head}  "\\e[31mred\\u202e": "\\0"\n  nodeSurge: "\\e]0;title\\a"\n`;
    expect(problemsOf(text).join('')).toMatch(/\\u001b\[31mred\\u202e/);
    expect(problemsOf(text).join('')).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });

  test('a long value is not repeated', () => {
    const lines = problemsOf(`${head}  nodeSurge: ${'x'.repeat(500_000)}\n`);
    expect(lines[0]).toContain('(500000 characters)');
    expect(lines.join('').length).toBeLessThan(500);
  });

  test('a file that is too long for a run is refused before it is parsed', () => {
    const text = `${head}  nodeSurge: ${'x'.repeat(10_000_000)}\n`;
    expect(problemsOf(text)).toEqual(['p.yaml:1:1: the file is too long, 9.5 MiB; allowed: a policy of at most 1 MiB']);
  });

  test('of thousands of wrong fields the first fifty are reported, and the rest is counted', () => {
    const result = parsePolicy(`${head}${mapping(5_000, (i) => `  wrong${i}: 1\n`)}`, 'p.yaml');
    expect(!result.ok && [result.problems.length, result.more]).toEqual([50, 4_950]);
  });

  test('the time grows with the length of the text, not with its square', () => {
    const minServing = (count: number) =>
      `${head}  guard:\n    minServing:\n${mapping(count, (i) => `      shop/s${i}: 3\n`)}`;
    problemsOf(minServing(1_000));
    expect(cpuMs(() => expect(problemsOf(minServing(20_000))).toEqual([]))).toBeLessThan(2_500);
    expect(cpuMs(() => problemsOf(`${head}${mapping(20_000, (i) => `  wrong${i}: 1\n`)}`))).toBeLessThan(2_500);
    expect(cpuMs(() => problemsOf(`${head}${mapping(20_000, () => '  twice: 1\n')}`))).toBeLessThan(2_500);
  });
});

describe('a policy may not contain', () => {
  const clusterNamed = (name: string) => problemsOf(head.replace('name: production', `name: ${name}`))[0];

  test.each(['a/b', '"\\0"', '"my cluster \\e[31m!"', '-a', 'a.b'])(
    'the cluster name %s, which EKS does not allow',
    (name) => {
      expect(clusterNamed(name)).toMatch(
        /^p\.yaml:7:11 spec\.cluster\.name: '.*' is not allowed here; allowed: an EKS cluster name: at most 100 letters, digits/,
      );
    },
  );

  test.each(['mars-1', 'EU-WEST-1', 'eu west 1', 'eu-west-1a'])('the region %s', (region) => {
    expect(problemsOf(head.replace('region: eu-west-1', `region: ${region}`))[0]).toContain('allowed: an AWS region');
  });

  test.each(['us-gov-west-1', 'cn-north-1', 'eu-isoe-west-1', 'eusc-de-east-1', 'ap-southeast-7'])(
    'but it may contain every existing region: %s',
    (region) => {
      expect(problemsOf(head.replace('region: eu-west-1', `region: ${region}`))).toEqual([]);
    },
  );

  test.each([
    ['  waits: {propagation: 99999999999999999999999h}', 'a duration of at most 30d'],
    ['  traffic: {watchAfter: 9999d}', 'a duration of at most 30d'],
    ['  waits: {pollInterval: 0s}', 'a duration of at least 100ms'],
    ['  waits: {deadlines: {eviction: 0s}}', 'a duration of at least 1000ms'],
  ])('%s', (line, allowed) => {
    expect(problemsOf(`${head}${line}\n`)[0]).toContain(`allowed: ${allowed}`);
  });

  test('a version that Kubernetes never had', () => {
    expect(problemsOf(head.replace('"1.34"', '"9.99"'))[0]).toContain('allowed: a Kubernetes version in quotes');
  });

  const probing = (url: string) => problemsOf(`${head}  traffic: {probes: [{name: a, urls: ['${url}']}]}\n`);

  test('a password in the address of a probe, and the message does not repeat it', () => {
    expect(probing('http://user:hunter2@web.example/')[0]).toContain('an address without user name and password');
    expect(probing('http://user:hunter2@web.example/').join('')).not.toContain('hunter2');
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://metadata.google.internal/',
  ])('a probe of %s, which serves credentials of the instance', (url) => {
    expect(probing(url)[0]).toContain('an address that is neither link-local nor that of an instance metadata service');
  });

  test.each(['http://10.0.0.1/', 'https://web.example/healthz?check=1', 'http://[fd00::1]/'])(
    'but it may probe %s',
    (url) => {
      expect(probing(url)).toEqual([]);
    },
  );
});

test('any mutation of a policy is accepted or refused, quickly and with texts that are safe for a terminal', () => {
  const runs = Number(process.env['NODEFERRY_PROPERTY_RUNS'] ?? '2000');
  const pick = seededPick(Number(process.env['NODEFERRY_PROPERTY_SEED'] ?? '1'));
  const written = vi.spyOn(process.stderr, 'write');
  const unsafe = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u;
  const broken: string[] = [];
  let accepted = 0;
  for (let run = 0; run < runs; run += 1) {
    const text = mutateText(validPolicies[pick(validPolicies.length)] ?? '', pick);
    const result = parsePolicy(text, 'p.yaml');
    if (result.ok) accepted += 1;
    const seen = result.ok
      ? [result.policy.name, result.policy.cluster.name, ...result.policy.traffic.probes.map(({ name }) => name)].join(
          '',
        )
      : result.problems.map(formatPolicyProblem).join('');
    if (unsafe.test(seen) || seen === '' || seen.length > 50_000) broken.push(text);
  }
  expect(broken).toEqual([]);
  expect(written).not.toHaveBeenCalled();
  // The mutations are useful only if some of them break the policy and some do not.
  expect(accepted).toBeGreaterThan(runs / 100);
  expect(accepted).toBeLessThan(runs / 2);
}, 60_000);
