import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attempt, commandLine, ended, isRunning, run, StopWaiting, start, stop, until } from '../../../lab/process.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-process-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('commands', () => {
  it('give their output and take input', async () => {
    expect(await run('cat', [], { input: 'hello' })).toBe('hello');
  });

  it('that fail are told with command, code and what they said', async () => {
    await expect(run('sh', ['-c', 'echo no luck >&2; exit 3'])).rejects.toThrow(/^sh -c .* exited with 3: no luck$/);
  });

  it('that take longer than their limit are killed, and the error says so', async () => {
    await expect(run('sh', ['-c', 'echo so far >&2; exec sleep 60'], { timeoutMs: 300 })).rejects.toThrow(
      /^sh -c .* was killed \(its limit is 0.3 s\): so far$/,
    );
  });

  it('that do not exist have the code that a shell gives them', async () => {
    expect((await attempt('no-such-command', [])).code).toBe(127);
  });
});

describe('processes', () => {
  it('are tied to the life of their parent before anything else happens to them', () => {
    const line = commandLine('kubelet', ['--v=1'], { namespace: 'nf-x', nice: 10 });
    expect(line.join(' ')).toBe('setpriv --pdeathsig KILL nice -n 10 nsenter --net=/run/netns/nf-x kubelet --v=1');
  });

  it('die with the process that started them', async () => {
    const process_ = new URL('../../../lab/process.ts', import.meta.url).pathname;
    const script = `import { start } from '${process_}';
      const child = start('sleep', ['600']);
      console.log(child.pid);
      setInterval(() => {}, 1000);`;
    const log = join(folder, 'log');
    const parent = start(process.execPath, ['--input-type=module', '--eval', script], { log });
    const pid = await until(async () => Number(await readFile(log, 'utf8')) || undefined, {
      what: 'no child',
      timeoutMs: 10_000,
    });
    parent.kill('SIGKILL');
    await until(async () => ((await state(pid)) === 'gone' ? true : undefined), {
      what: 'the child lives on',
      timeoutMs: 5_000,
    });
  });

  it('that ignore SIGTERM are killed after the time that they were given', async () => {
    const log = join(folder, 'log');
    const child = start('sh', ['-c', 'trap "" TERM; echo up; while :; do sleep 1; done'], { log });
    await until(async () => ((await readFile(log, 'utf8')).includes('up') ? true : undefined), {
      what: 'not up',
      timeoutMs: 5_000,
    });
    await stop(child, 100);
    expect(isRunning(child)).toBe(false);
    expect(child.signalCode).toBe('SIGKILL');
  });

  it('that cannot be started count as ended', async () => {
    const child = start('true', []);
    await ended(child);
    await stop(child, 1_000);
    expect(isRunning(child)).toBe(false);
  });
});

describe('until', () => {
  it('asks again until there is an answer, through errors', async () => {
    let calls = 0;
    const answer = await until(
      async () => {
        calls += 1;
        if (calls === 1) throw new Error('not yet');
        return calls === 3 ? 'yes' : undefined;
      },
      { what: 'never', timeoutMs: 5_000, everyMs: 1 },
    );
    expect(answer).toBe('yes');
  });

  it('tells at the deadline what it waited for and why the last try failed', async () => {
    const check = async (): Promise<undefined> => {
      throw new Error('connection refused');
    };
    await expect(until(check, { what: 'the API server is not ready', timeoutMs: 20, everyMs: 5 })).rejects.toThrow(
      'the API server is not ready: not within 0.02 s: connection refused',
    );
  });

  it('gives up at once when waiting is of no use', async () => {
    const check = async (): Promise<undefined> => {
      throw new StopWaiting('etcd has ended');
    };
    await expect(until(check, { what: 'x', timeoutMs: 60_000 })).rejects.toThrow('etcd has ended');
  });

  it('gives up when its signal is aborted', async () => {
    const aborted = AbortSignal.abort(new Error('interrupted'));
    await expect(until(async () => undefined, { what: 'x', timeoutMs: 60_000, signal: aborted })).rejects.toThrow(
      'interrupted',
    );
  });
});

/** A dead process that nobody has reaped yet is gone, too. */
async function state(pid: number): Promise<'alive' | 'gone'> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat === '' || stat.includes(') Z ') ? 'gone' : 'alive';
}
