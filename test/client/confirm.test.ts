import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const module = new URL('../../client/output/confirm.ts', import.meta.url).href;
const load = `const { confirm } = await import(${JSON.stringify(module)});`;
const script = `${load} console.log(await confirm('Delete it?'));`;

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

/** Answers the question with Ctrl-C on a terminal, and prints what was shown there. */
const interrupt = `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
said = b''
while b'[y/N]' not in said: said += os.read(fd, 1024)
os.write(fd, b'\\x03')
try:
    while chunk := os.read(fd, 1024): said += chunk
except OSError: pass
print(said.decode())
`;

test('takes Ctrl-C for an interruption, not for a no', () => {
  const code = `${load} await confirm('Delete it?').catch(({ name, message }) => console.log(name, message));`;
  const asked = spawnSync('python3', ['-c', interrupt, process.execPath, '--input-type=module', '--eval', code], {
    encoding: 'utf8',
  });

  expect(asked.stdout).toContain('Interrupted Interrupted: nothing was started or changed.');
});
