import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePorts } from '../../../lab/free-ports.ts';
import { isRunning, stop, until } from '../../../lab/process.ts';
import { findGo } from '../../../scripts/setup/go.ts';
import { oauth2Proxy } from '../../../scripts/setup/oauth2-proxy.ts';
import type { SignInProvider } from './provider.ts';

/** The settings of the compose profile. */
const settings = join(import.meta.dirname, '../../../deploy/compose/oauth2-proxy.cfg');

function executable(): string {
  const go = findGo();
  if (go === undefined) throw new Error('Go is missing: run `npm run setup`');
  return join(oauth2Proxy.directory(go), 'oauth2-proxy');
}

function launch(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(executable(), [`--config=${settings}`, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs the proxy with the settings of the compose profile and this environment until it ends by itself. */
export async function runProxy(env: Readonly<Record<string, string>>): Promise<{ code: number | null; said: string }> {
  const child = launch([], env);
  if (child.stdout === null || child.stderr === null) throw new Error('no output');
  const [[code], ...said] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, said: said.join('') };
}

/** A running proxy. */
export interface SignInProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Who may sign in, and settings that differ from those of the compose profile. */
interface ProxyOptions {
  readonly emailDomain: string;
  /** Groups one of which a user must be in, with commas. */
  readonly groups?: string;
  readonly args?: readonly string[];
}

/** Starts the proxy in front of a web UI. Settings are those of the compose profile, but for the addresses and for `args`. */
export async function startProxy(
  uiUrl: string,
  { issuer, client }: SignInProvider,
  { emailDomain, groups = '', args = [] }: ProxyOptions,
): Promise<SignInProxy> {
  const [port = 0] = await freePorts(1);
  const child = launch([`--http-address=127.0.0.1:${port}`, `--upstream=${uiUrl}`, ...args], {
    OAUTH2_PROXY_OIDC_ISSUER_URL: issuer,
    OAUTH2_PROXY_CLIENT_ID: client.id,
    OAUTH2_PROXY_CLIENT_SECRET: client.secret,
    OAUTH2_PROXY_COOKIE_SECRET: randomBytes(32).toString('base64url'),
    OAUTH2_PROXY_EMAIL_DOMAINS: emailDomain,
    OAUTH2_PROXY_ALLOWED_GROUPS: groups,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const answers = async () => {
    if (!isRunning(child)) throw new Error(`oauth2-proxy has ended: ${said}`);
    const ping = await fetch(`http://127.0.0.1:${port}/ping`).catch(() => undefined);
    return ping?.ok === true ? true : undefined;
  };
  try {
    await until(answers, { what: 'oauth2-proxy does not answer', timeoutMs: 30_000 });
  } catch (error) {
    await stop(child, 5_000);
    throw error;
  }
  return { port, close: () => stop(child, 5_000) };
}
