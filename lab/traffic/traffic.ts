/** Running traffic: a prober in the clients' namespace, or one in a pod whose output file is followed. */
import type { ChildProcess } from 'node:child_process';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { ended, isRunning, start, stop } from '../process.ts';
import { type ProberConfig, parseLine } from './prober.ts';
import { openAccount, type TrafficTruth } from './truth.ts';

/** Running traffic and its results so far. */
export interface Traffic {
  truth(): TrafficTruth;
  /** Calls the listener with every tick (500 ms) and once at the end; the returned function stops that. */
  subscribe(listener: (truth: TrafficTruth) => void): () => void;
  /** Counts from now on, so that earlier requests don't count for a scenario. */
  zero(): void;
  /**
   * Resolves when the last `seconds` passed without a lost, cut or slow request. Rejects after `timeoutMs` (default 120,000) or when the prober has
   * ended.
   */
  waitUntilClean(seconds: number, timeoutMs?: number): Promise<void>;
  /** Sends nothing more, lets requests in flight end (up to 25 s) and resolves with the final account. */
  stop(): Promise<TrafficTruth>;
}

/** What is needed to send traffic from a namespace. */
interface TrafficOptions {
  /** Absolute path of the prober binary. */
  readonly prober: string;
  /** Network namespace of the clients. */
  readonly namespace: string;
  readonly config: ProberConfig;
  /** The prober stops after this many seconds; default 7,200. */
  readonly maxSeconds?: number;
  /** File that gets a JSON line for every request. */
  readonly requestLog?: string;
}

const CLEAN_TIMEOUT_MS = 120_000;
const GRACE_S = 25;
const READ_EVERY_MS = 250;

/** Starts a prober in the clients' namespace. It ends with this process, however that ends. */
export function startTraffic(options: TrafficOptions): Traffic {
  const limits = ['-max', `${options.maxSeconds ?? 7_200}s`, '-grace', `${GRACE_S}s`];
  const log = options.requestLog === undefined ? [] : ['-requests', options.requestLog];
  const child = start(options.prober, ['-config', '-', ...limits, ...log], {
    namespace: options.namespace,
    stdio: ['pipe', 'pipe', 'pipe'],
    urgent: true,
  });
  const lines = listen();
  const complaint = collect(child);
  child.stdin?.on('error', () => undefined);
  child.stdin?.write(JSON.stringify(options.config));
  const allRead = new Promise<void>((resolve) => {
    if (!child.stdout) return resolve();
    createInterface({ input: child.stdout })
      .on('line', (line) => lines.receive(line))
      .on('close', resolve);
  });

  return {
    ...lines.traffic(() => isRunning(child)),
    async stop() {
      await stop(child, (GRACE_S + 5) * 1000);
      await ended(child);
      await allRead;
      const truth = lines.truth();
      if (!truth.final) throw new Error(`the prober ended without a summary: ${complaint()}`);
      return truth;
    },
  };
}

/**
 * Follows the output file of a prober that runs elsewhere, for example in a pod with `-out` on a hostPath volume. `stop` ends the following, not the
 * prober. The account is final when the prober has ended before.
 */
export function followTraffic(file: string): Traffic {
  const lines = listen();
  let offset = 0;
  let rest = '';
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function read(): Promise<void> {
    const text = await readFrom(file, offset);
    offset += Buffer.byteLength(text);
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) lines.receive(line);
  }

  async function poll(): Promise<void> {
    await read();
    if (stopped) return;
    timer = setTimeout(() => {
      polling = poll();
    }, READ_EVERY_MS);
  }
  let polling = poll();

  return {
    ...lines.traffic(() => !stopped),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await polling;
      await read();
      return lines.truth();
    },
  };
}

/** Adds up lines and notifies subscribers. */
function listen() {
  const account = openAccount();
  const listeners = new Set<(truth: TrafficTruth) => void>();
  return {
    truth: () => account.truth(),
    receive(text: string): void {
      const line = parseLine(text);
      account.add(line);
      if (line.type === 'incident') return;
      const truth = account.truth();
      for (const listener of listeners) listener(truth);
    },
    traffic: (running: () => boolean): Omit<Traffic, 'stop'> => ({
      truth: () => account.truth(),
      zero: () => account.zero(),
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      async waitUntilClean(seconds, timeoutMs = CLEAN_TIMEOUT_MS) {
        const deadline = Date.now() + timeoutMs;
        while (!account.cleanFor(seconds)) {
          if (!running()) throw new Error('the prober has ended');
          if (Date.now() > deadline) throw new Error(unclean(seconds, timeoutMs, account.truth()));
          await new Promise((resolve) => setTimeout(resolve, READ_EVERY_MS));
        }
      },
    }),
  };
}

function unclean(seconds: number, timeoutMs: number, truth: TrafficTruth): string {
  const { sent, ok, lost, cut, slow } = truth;
  const last = truth.incidents.at(-1);
  const example = last === undefined ? '' : `, for example ${last.stream}: ${last.error ?? 'slow'}`;
  return `no ${seconds} s without a loss within ${timeoutMs / 1000} s: ${sent} sent, ${ok} ok, ${lost} lost, ${cut} reset, ${slow} slow${example}`;
}

function collect(child: ChildProcess): () => string {
  let text = '';
  child.on('error', (error) => {
    text += error.message;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-2_000);
  });
  return () => text.trim();
}

/** The text of a file from an offset on; empty while the file does not exist. */
async function readFrom(file: string, offset: number): Promise<string> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (handle === undefined) return '';
  try {
    const chunks: string[] = [];
    for await (const chunk of handle.createReadStream({ start: offset, encoding: 'utf8', autoClose: false })) {
      chunks.push(String(chunk));
    }
    return chunks.join('');
  } finally {
    await handle.close();
  }
}
