import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

/** The policy was found, though it is no good: nothing of a cluster is needed to see that. */
const found = /here\.yaml:1:7 kind: 'Nothing' is not allowed here/;

test('a link to bin/nodeferry finds files from where one is', () => {
  const link = join(folder, 'nodeferry');
  symlinkSync(join(root, 'bin/nodeferry'), link);
  const refused = spawnSync(link, ['upgrade', '-f', 'here.yaml'], { cwd: folder, encoding: 'utf8' });
  expect([refused.status, refused.stdout]).toEqual([64, '']);
  expect(refused.stderr).toMatch(found);
}, 120_000);

test('npm run -s finds files from where one is, and adds nothing to the output', () => {
  const npm = ['run', '-s', '--prefix', root, 'nodeferry', '--'];
  const refused = spawnSync('npm', [...npm, 'upgrade', '-f', 'here.yaml'], { cwd: folder, encoding: 'utf8' });
  expect([refused.status, refused.stdout]).toEqual([64, '']);
  expect(refused.stderr).toMatch(found);
}, 120_000);
