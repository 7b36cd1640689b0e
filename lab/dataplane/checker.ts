/**
 * The process that performs health checks. Reads `{"probes": HealthProbe[]}` lines, each of which replaces the set, and writes one ProbeResult line
 * for every check. Ends when its standard input does.
 */
import { request } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { HealthProbe } from '../contracts.ts';

interface Running {
  readonly definition: string;
  stop(): void;
}

interface Outcome {
  readonly ok: boolean;
  readonly detail: string;
}

const running = new Map<string, Running>();

createInterface({ input: process.stdin })
  .on('line', (line) => replace((JSON.parse(line) as { probes: readonly HealthProbe[] }).probes))
  .on('close', () => process.exit(0));

function replace(probes: readonly HealthProbe[]): void {
  const wanted = new Map(probes.map((probe) => [probe.id, probe]));
  for (const [id, check] of running) {
    const probe = wanted.get(id);
    if (probe !== undefined && JSON.stringify(probe) === check.definition) wanted.delete(id);
    else {
      check.stop();
      running.delete(id);
    }
  }
  for (const probe of wanted.values()) running.set(probe.id, begin(probe));
}

/** Checks are spread over the interval, so that those of many targets don't come in bursts. */
function begin(probe: HealthProbe): Running {
  let repeat: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    repeat = setInterval(() => check(probe), probe.intervalMs);
    check(probe);
  }, Math.random() * probe.intervalMs);
  return {
    definition: JSON.stringify(probe),
    stop() {
      clearTimeout(first);
      clearInterval(repeat);
    },
  };
}

function check(probe: HealthProbe): void {
  let answered = false;
  const answer = (outcome: Outcome) => {
    if (answered) return;
    answered = true;
    process.stdout.write(`${JSON.stringify({ id: probe.id, ...outcome })}\n`);
  };
  const abort = probe.protocol === 'HTTP' ? checkHttp(probe, answer) : checkTcp(probe, answer);
  afterRunning(probe.timeoutMs, () => {
    answer({ ok: false, detail: 'timed out' });
    abort();
  });
}

/** A timer that is later than this means that this process did not run, ms. */
const standstillMs = 100;

/** Calls back after that time, ms. What arrived while this process did not run is read first: it gets as much more time as it lost. */
function afterRunning(ms: number, callback: () => void): void {
  const due = performance.now() + ms;
  setTimeout(() => {
    const lateMs = performance.now() - due;
    if (lateMs > standstillMs) afterRunning(Math.min(lateMs, ms), callback);
    else callback();
  }, ms).unref();
}

function checkHttp(probe: HealthProbe, answer: (outcome: Outcome) => void): () => void {
  const sent = request({
    host: probe.ip,
    port: probe.port,
    path: probe.path,
    agent: false,
    headers: { 'User-Agent': 'ELB-HealthChecker/2.0', Connection: 'close' },
  });
  sent.on('response', (response) => {
    const status = response.statusCode ?? 0;
    answer({ ok: status >= 200 && status <= 399, detail: `HTTP ${status}` });
    response.resume();
  });
  sent.on('error', (error) => answer({ ok: false, detail: error.message }));
  sent.end();
  return () => sent.destroy();
}

function checkTcp(probe: HealthProbe, answer: (outcome: Outcome) => void): () => void {
  const socket = connect({ host: probe.ip, port: probe.port });
  socket.on('connect', () => {
    answer({ ok: true, detail: 'connected' });
    socket.destroy();
  });
  socket.on('error', (error) => answer({ ok: false, detail: error.message }));
  return () => socket.destroy();
}
