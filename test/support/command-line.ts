import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../client/main.ts', import.meta.url));

/** What the CLI said, and its exit code. */
interface CommandLineResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `nodeferry` as a user would, with a text on its standard input; the test goes on meanwhile. */
export async function runCommandLine(
  args: readonly string[],
  options: { readonly input: string; readonly env: Readonly<Record<string, string>> },
): Promise<CommandLineResult> {
  const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...options.env } });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  child.stdin.end(options.input);
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
