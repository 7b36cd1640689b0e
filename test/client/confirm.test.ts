import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const module = new URL('../../client/output/confirm.ts', import.meta.url).href;
const script = `const { confirm } = await import(${JSON.stringify(module)}); console.log(await confirm('Delete it?'));`;

test.each([
  ['y\n', true],
  ['Yes\n', true],
  ['no\n', false],
  ['\n', false],
  ['', false],
])('takes the answer %j to a question for %s', (input, isYes) => {
  const asked = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8', input });

  expect(asked.stdout).toBe(`${isYes}\n`);
  expect(asked.stderr).toContain('Delete it? [y/N]');
});
