import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type InstalledPackage, installPackage, runInstalled } from '../support/installed-package.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.ts';

const examples = join(import.meta.dirname, '../../examples');
const kubeconfig = join(import.meta.dirname, '../support/kubeconfig.json');
const nobodyListens = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

let installed: InstalledPackage;
beforeAll(() => {
  installed = installPackage();
}, 600_000);
afterAll(() => installed.remove());

const workers: WorkerProcess[] = [];
afterEach(() => {
  for (const { child } of workers.splice(0)) child.kill('SIGKILL');
});

function startInstalledWorker(env: Readonly<Record<string, string>>): WorkerProcess {
  const worker = startWorkerProcess({ KUBECONFIG: kubeconfig, TMPDIR: '/dev/null/nowhere', ...env }, [
    installed.command('nodeferry'),
    'worker',
  ]);
  workers.push(worker);
  return worker;
}

test('the package contains what runs, what is read, and what is applied to a cluster, and no sources', () => {
  const top = [...new Set(installed.files.map((path) => path.split('/')[0] ?? ''))];
  expect(top.toSorted()).toEqual([
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'bin',
    'deploy',
    'dist',
    'docker-compose.yml',
    'docs',
    'examples',
    'lab',
    'npm-shrinkwrap.json',
    'package.json',
    'schemas',
    'test',
  ]);
  expect(installed.files.filter((path) => /^(?:lab|test)\/./.test(path))).toEqual(['lab/README.md', 'test/README.md']);
  expect(installed.files).toEqual(
    expect.arrayContaining(['bin/nodeferry.cjs', 'bin/start.cjs', 'deploy/iam/policy.json', 'docs/cli.md']),
  );
  expect(installed.files.filter((path) => path.startsWith('dist/build/'))).toEqual([
    expect.stringMatching(/\/workflow-bundle-[0-9a-f]+-encoding-failures\.js$/),
    expect.stringMatching(/\/workflow-bundle-[0-9a-f]+\.js$/),
  ]);
  expect(installed.files.filter((path) => /\.(?:ts|map)$|\/test\//.test(path))).toEqual([]);
});

test('every link and picture in what is read leads to something in the package, and to a heading that is there', () => {
  const pages = installed.files.filter((path) => path.endsWith('.md'));
  const read = (path: string) => readFileSync(join(installed.root, path), 'utf8');
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].map(([, path = '', heading]) => ({
      page,
      target: path === '' ? page : join(dirname(page), path),
      heading,
    })),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ target }) => !existsSync(join(installed.root, target)))).toEqual([]);
  const headings = new Map(pages.map((page) => [page, headingsOf(read(page))]));
  const isThere = ({ target, heading }: (typeof links)[number]) =>
    heading === undefined || headings.get(target)?.has(heading) === true;
  expect(links.filter((link) => !isThere(link))).toEqual([]);
});

/** The anchors that GitHub gives to the headings of a page. */
function headingsOf(page: string): ReadonlySet<string> {
  const titles = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('its dependencies are those of the lock file that the tests ran with, without those for development', () => {
  const listed = runInstalled('npm', ['ls', '--global', '--all', '--json', `--prefix=${installed.folder}`]);
  const tree = JSON.parse(listed.stdout) as { readonly problems?: readonly string[] };
  expect(tree.problems ?? []).toEqual([]);
  expect(listed.stdout).not.toMatch(/"(?:typescript|vitest|oxlint|@biomejs\/biome)": \{/);
});

describe('from a folder that can not be written', () => {
  test.each(['nodeferry', 'kubectl-nodeferry', 'temporal-nodeferry'])('%s prints its help', (name) => {
    const { status, stdout, stderr } = runInstalled(installed.command(name), ['--help']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: ${name.replace('-', ' ')} `));
  });

  test('version says which it is, and that no server is there', () => {
    const { status, stdout } = runInstalled(installed.command('nodeferry'), ['version', '-o', 'json'], nobodyListens);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ version: '0.1.0', problem: { code: 'TemporalUnreachable' } });
  });

  test('validate accepts the examples and refuses what is none', () => {
    const ok = runInstalled(installed.command('nodeferry'), ['validate', '-f', join(examples, 'production.yaml')]);
    expect([ok.status, ok.stderr]).toEqual([0, '']);
    const refused = runInstalled(installed.command('nodeferry'), ['validate', '-f', kubeconfig]);
    expect(refused.status).toBe(64);
  });

  test('explain explains a rule of the audit', () => {
    const { status, stdout } = runInstalled(installed.command('nodeferry'), ['explain', 'WKL-003']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^WKL-003 /);
  });

  test('worker ends with a sentence where no Temporal is', async () => {
    const worker = startInstalledWorker(nobodyListens);
    expect(await worker.ended).toBe(69);
    expect(worker.output()).toMatch(/No Temporal server answers at 127\.0\.0\.1:1: nothing listens there/);
    expect(worker.output()).not.toMatch(/\n {4}at /);
  });

  const withCodec = {
    NODEFERRY_PAYLOAD_CODEC: join(examples, 'encryption-codec.mjs'),
    NODEFERRY_CODEC_KEY: Buffer.alloc(32).toString('base64'),
  };

  test.each([
    ['the usual bundle of workflows', {}],
    ['the bundle that encodes failures', withCodec],
  ])('worker runs %s where Temporal is, and ends when it is told to', async (_which, env) => {
    const worker = startInstalledWorker({
      ...env,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      NODEFERRY_TASK_QUEUE: `package-${randomUUID()}`,
    });
    await expect.poll(() => worker.output()).toContain('"worker runs"');
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect(worker.output()).not.toMatch(/bundle/);
  });

  test('none of them writes anything there', () => {
    expect(installed.changes()).toEqual([]);
  });
});

test('an old Node.js is told in one sentence what is needed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nodeferry-old-'));
  try {
    const old = join(folder, 'old.cjs');
    writeFileSync(
      old,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });`,
    );
    const { status, stderr } = runInstalled(installed.command('nodeferry'), ['--help'], {
      NODE_OPTIONS: `--require=${old}`,
    });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^nodeferry needs Node\.js 22\.19 or later; .*\.\n$/)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
