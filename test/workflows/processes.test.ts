import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { freePorts } from '../../lab/free-ports.ts';
import { temporalPath } from '../../scripts/setup/temporal.ts';
import { runCommandLine } from '../support/command-line.ts';
import { startWorkerProcess } from '../support/worker-process.ts';

const main = fileURLToPath(new URL('../../client/main.ts', import.meta.url));
const kubeconfig = fileURLToPath(new URL('../support/kubeconfig.json', import.meta.url));

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'nodeferry-processes-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

describe('nodeferry dev', () => {
  async function startDev(kubeconfigOfWorker: string) {
    const [port = 0, uiPort = 0] = await freePorts(2);
    const args = ['dev', '--port', `${port}`, '--ui-port', `${uiPort}`, '--database', join(scratch, 'runs.db')];
    const child = spawn(process.execPath, [main, ...args], {
      env: {
        ...process.env,
        KUBECONFIG: kubeconfigOfWorker,
        AWS_REGION: 'eu-west-1',
        NODEFERRY_TEMPORAL_CLI: temporalPath(),
        NODEFERRY_HEALTH_ADDRESS: 'off',
        NODEFERRY_METRICS_ADDRESS: 'off',
        // The address of another server, which the worker must not use.
        TEMPORAL_NAMESPACE: 'elsewhere',
        TEMPORAL_API_KEY: 'secret',
      },
    });
    let output = '';
    const heard = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        for (const hear of heard) hear();
      });
    }
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const says = (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        void ended.then(() => reject(new Error(`it ended: ${output}`)));
        const hear = () => {
          if (pattern.test(output)) resolve();
        };
        heard.add(hear);
        hear();
      });
    return { child, ended, says, output: () => output };
  }

  test('exits, and its server with it, when its worker can’t start', async () => {
    const dev = await startDev('/nonexistent/config');
    expect(await dev.ended).toBe(69);
    expect(dev.output()).toContain('The kubeconfig cannot be used');
    expect(dev.output()).not.toMatch(/\n {4}at /);
  });

  test('locks its database, and exits on a signal', async () => {
    const dev = await startDev(kubeconfig);
    await dev.says(/worker runs/);
    const other = await startDev(kubeconfig);
    expect(await other.ended).toBe(1);
    expect(other.output()).toContain(`is in use by \`nodeferry dev\`, process ${dev.child.pid}, already`);
    dev.child.kill('SIGINT');
    expect(await dev.ended).toBe(0);
    expect(dev.output()).not.toContain('No workflows registered');
  });
});

describe('a namespace', () => {
  const says = /Temporal at .* has no namespace nowhere\.\n {2}fix: Set TEMPORAL_NAMESPACE/;

  test('that does not exist is named by the worker', async () => {
    const worker = startWorkerProcess({
      KUBECONFIG: kubeconfig,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_NAMESPACE: 'nowhere',
    });
    expect(await worker.ended).toBe(64);
    expect(worker.output()).toMatch(says);
  });

  test('that does not exist is named by every command', async () => {
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: 'nowhere' };
    for (const args of [
      ['status', 'a/b'],
      ['abort', 'a/b'],
      ['report', 'a/b'],
    ]) {
      const refused = await runCommandLine(args, { input: '', env });
      expect([refused.code, refused.stderr]).toEqual([64, expect.stringMatching(says)]);
      expect(refused.stderr).not.toMatch(/\n {4}at /);
    }
  });

  test('without the search attributes is reported by the worker and by commands', async () => {
    const address = inject('temporalAddress');
    const connection = await Connection.connect({ address });
    const namespace = `bare-${process.pid}`;
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    await connection.close();
    const env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
    const worker = startWorkerProcess({ ...env, KUBECONFIG: kubeconfig });
    expect(await worker.ended).toBe(64);
    expect(worker.output()).toContain('temporal operator search-attribute create');
  });
});
