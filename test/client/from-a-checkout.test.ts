import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeferry-checkout-'));
  writeFileSync(join(folder, 'here.yaml'), 'kind: Nothing\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The policy was found, though it is invalid: no cluster is needed to see that. */
const found = /here\.yaml:1:7 kind: 'Nothing' is not allowed here/;

test('a link to bin/nodeferry finds files relative to the current folder', () => {
  const link = join(folder, 'nodeferry');
  symlinkSync(join(root, 'bin/nodeferry'), link);
  const refused = spawnSync(link, ['upgrade', '-f', 'here.yaml'], { cwd: folder, encoding: 'utf8' });
  expect([refused.status, refused.stdout]).toEqual([64, '']);
  expect(refused.stderr).toMatch(found);
}, 120_000);

test.each([true, false])('its entry for packages says in a sentence that Node.js is too old (%s)', (isOld) => {
  const older = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})`;
  const pretending = isOld ? ['--import', `data:text/javascript,${older}`] : [];
  const run = spawnSync(process.execPath, [...pretending, join(root, 'bin/nodeferry.cjs'), '--version'], {
    encoding: 'utf8',
  });
  const says = isOld ? /^nodeferry needs Node\.js 22\.19 or later; this is v[\d.]+\.\n$/ : /^$/;
  expect([run.status, run.stderr]).toEqual([isOld ? 1 : 0, expect.stringMatching(says)]);
});

test('that entry is written so that any version of Node.js can read it', () => {
  const text = readFileSync(join(root, 'bin/nodeferry.cjs'), 'utf8');
  expect(text.replaceAll(/^(#!|\/\/).*$/gm, '')).not.toMatch(
    /=>|`|\b(?:const|let|class|async|await|import|export)\b|\.\.\.|\?\./,
  );
});

test('npm run -s finds files relative to the current folder, and adds nothing to the output', () => {
  const npm = ['run', '-s', '--prefix', root, 'nodeferry', '--'];
  const refused = spawnSync('npm', [...npm, 'upgrade', '-f', 'here.yaml'], { cwd: folder, encoding: 'utf8' });
  expect([refused.status, refused.stdout]).toEqual([64, '']);
  expect(refused.stderr).toMatch(found);
}, 120_000);
