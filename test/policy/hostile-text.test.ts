import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { formatPolicyProblem, parsePolicy } from '../../core/policy/parse.ts';
import { mutateText, seededPick } from '../support/mutate-text.ts';
import { everyField } from './all-fields.ts';

const root = join(import.meta.dirname, '../..');
const examples = readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.yaml'));
const sound = [
  ...examples.map((file) => readFileSync(join(root, 'examples', file), 'utf8')),
  readFileSync(join(root, 'lab/demo/policy.yaml'), 'utf8'),
  everyField,
];
/** The least that a policy has to say. */
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

/** All that is written of a text that is refused; empty for a policy. */
function told(text: string): readonly string[] {
  const result = parsePolicy(text, 'p.yaml');
  return result.ok ? [] : result.problems.map(formatPolicyProblem);
}

/** CPU time, ms: others keep the machine busy. */
function cpuMs(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function mapping(count: number, entry: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => entry(index)).join('');
}

describe('a text that is made to break the reader', () => {
  test.each([
    ['an alias of nothing', 'a: *b\n', /^p\.yaml:1:4: the alias \*b names nothing that comes before it$/],
    ['an alias inside what it names', 'a: &b [*b]\n', /the alias \*b is inside what it names/],
    [
      'aliases that multiply',
      `a: &a [x, x, x, x, x, x, x, x, x]\n${mapping(8, (i) => `${'abcdefghi'[i + 1]}: &${'abcdefghi'[i + 1]} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(', ')}]\n`)}`,
      /alias count/i,
    ],
    ['a merge key with a text', '%YAML 1.1\n---\na:\n  <<: 1m\n', /fields can not be merged with <</],
    ['a list as a key', '? [a, b]\n: 1\n', /the name of a field must be a text/],
    ['a second document', 'a: 1\n---\nb: 2\n', /a second document begins here; allowed: one policy in one file/],
    ['a field twice', 'a: 1\na: 2\n', /^p\.yaml:2:1: the field 'a' is here twice$/],
    ['deep nesting', `a: ${'['.repeat(200_000)}`, /nested too deeply|./],
  ])('%s is told with its place', (_name, text, expected) => {
    const stderr = vi.spyOn(process, 'emitWarning');
    const written = vi.spyOn(process.stderr, 'write');
    expect(told(text)[0]).toMatch(expected);
    expect(stderr).not.toHaveBeenCalled();
    expect(written).not.toHaveBeenCalled();
  });

  test('a name that JavaScript would lose is refused, written with or without quotes', () => {
    for (const key of ['__proto__', '"__proto__"']) {
      expect(told(`${head}  guard: {minServing: {${key}: 3}}\n`)[0]).toContain(
        "the name '__proto__' is not allowed here",
      );
    }
  });

  test('an anchor that is used where it may be stands for its value, and what is wrong behind it has a place', () => {
    expect(told(`${head}  guard: {minServing: {default/a: &f 3, default/b: *f}}\n`)).toEqual([]);
    expect(told(`${head}  guard: {minServing: {default/a: &f many, default/b: *f}}\n`)[1]).toMatch(
      /spec\.guard\.minServing\['default\/b'\]: 'many' is not allowed here/,
    );
  });

  test('control characters reach no terminal', () => {
    const text = `${head}  "\\e[31mred\\u202e": "\\0"\n  nodeSurge: "\\e]0;title\\a"\n`;
    expect(told(text).join('')).toMatch(/\\u001b\[31mred\\u202e/);
    expect(told(text).join('')).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });

  test('a long value is not repeated', () => {
    const lines = told(`${head}  nodeSurge: ${'x'.repeat(500_000)}\n`);
    expect(lines[0]).toContain('(500000 characters)');
    expect(lines.join('').length).toBeLessThan(500);
  });

  test('a file that no run could carry is refused before it is read', () => {
    const text = `${head}  nodeSurge: ${'x'.repeat(10_000_000)}\n`;
    expect(told(text)).toEqual(['p.yaml:1:1: the file has 9.5 million characters; allowed: a policy of at most 1 MiB']);
  });

  test('thousands of wrong fields are counted, the first fifty told', () => {
    const result = parsePolicy(`${head}${mapping(5_000, (i) => `  wrong${i}: 1\n`)}`, 'p.yaml');
    expect(!result.ok && [result.problems.length, result.more]).toEqual([50, 4_950]);
  });

  test('time grows with the length of the text, not with its square', () => {
    const minServing = (count: number) =>
      `${head}  guard:\n    minServing:\n${mapping(count, (i) => `      shop/s${i}: 3\n`)}`;
    told(minServing(1_000));
    expect(cpuMs(() => expect(told(minServing(20_000))).toEqual([]))).toBeLessThan(2_500);
    expect(cpuMs(() => told(`${head}${mapping(20_000, (i) => `  wrong${i}: 1\n`)}`))).toBeLessThan(2_500);
    expect(cpuMs(() => told(`${head}${mapping(20_000, () => '  twice: 1\n')}`))).toBeLessThan(2_500);
  });
});

describe('what a policy may not say', () => {
  const clusterNamed = (name: string) => told(head.replace('name: production', `name: ${name}`))[0];

  test.each(['a/b', '"\\0"', '"my cluster \\e[31m!"', '-a', 'a.b'])(
    'the cluster name %s, which EKS does not allow',
    (name) => {
      expect(clusterNamed(name)).toMatch(
        /^p\.yaml:7:11 spec\.cluster\.name: '.*' is not allowed here; allowed: an EKS cluster name: letters, digits/,
      );
    },
  );

  test.each(['mars-1', 'EU-WEST-1', 'eu west 1', 'eu-west-1a'])('the region %s', (region) => {
    expect(told(head.replace('region: eu-west-1', `region: ${region}`))[0]).toContain('allowed: an AWS region');
  });

  test.each(['us-gov-west-1', 'cn-north-1', 'eu-isoe-west-1', 'eusc-de-east-1', 'ap-southeast-7'])(
    'but every region that there is: %s',
    (region) => {
      expect(told(head.replace('region: eu-west-1', `region: ${region}`))).toEqual([]);
    },
  );

  test.each([
    ['  waits: {propagation: 99999999999999999999999h}', 'a duration of at most 30d'],
    ['  traffic: {watchAfter: 9999d}', 'a duration of at most 30d'],
    ['  waits: {pollInterval: 0s}', 'a duration of at least 100ms'],
    ['  waits: {deadlines: {eviction: 0s}}', 'a duration of at least 1000ms'],
  ])('%s', (line, allowed) => {
    expect(told(`${head}${line}\n`)[0]).toContain(`allowed: ${allowed}`);
  });

  test('a version that Kubernetes never had', () => {
    expect(told(head.replace('"1.34"', '"9.99"'))[0]).toContain('allowed: a Kubernetes version in quotes');
  });

  const probing = (url: string) => told(`${head}  traffic: {probes: [{name: a, urls: ['${url}']}]}\n`);

  test('a password in the address of a probe, which is not repeated either', () => {
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
  ])('a probe of %s, where the credentials of the instance are', (url) => {
    expect(probing(url)[0]).toContain('link-local and instance metadata addresses are not probed');
  });

  test.each(['http://10.0.0.1/', 'https://web.example/healthz?check=1', 'http://[fd00::1]/'])(
    'but it may probe %s',
    (url) => {
      expect(probing(url)).toEqual([]);
    },
  );
});

test('whatever happens to a policy, it is read or refused in words that fit a terminal, and soon', () => {
  const runs = Number(process.env['NODEFERRY_PROPERTY_RUNS'] ?? '2000');
  const pick = seededPick(Number(process.env['NODEFERRY_PROPERTY_SEED'] ?? '1'));
  const written = vi.spyOn(process.stderr, 'write');
  const unfit = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u;
  const broken: string[] = [];
  let accepted = 0;
  for (let run = 0; run < runs; run += 1) {
    const text = mutateText(sound[pick(sound.length)] ?? '', pick);
    const result = parsePolicy(text, 'p.yaml');
    if (result.ok) accepted += 1;
    const seen = result.ok
      ? [result.policy.name, result.policy.cluster.name, ...result.policy.traffic.probes.map(({ name }) => name)].join(
          '',
        )
      : result.problems.map(formatPolicyProblem).join('');
    if (unfit.test(seen) || seen === '' || seen.length > 50_000) broken.push(text);
  }
  expect(broken).toEqual([]);
  expect(written).not.toHaveBeenCalled();
  // Neither all broken nor all harmless: the mutations are worth something.
  expect(accepted).toBeGreaterThan(runs / 100);
  expect(accepted).toBeLessThan(runs / 2);
}, 60_000);
