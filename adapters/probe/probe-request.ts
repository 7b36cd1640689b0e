import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ProbeTarget } from './addresses.ts';

/** The result of one request. */
export interface ProbeOutcome {
  /** Why there was no complete response in time, or none with a status below 500; undefined if there was one. */
  readonly failure: string | undefined;
  /** The connection took more than 900 ms: a SYN was dropped and sent again after a second. */
  readonly slow: boolean;
}

/** Connects that take longer than this count as slow, ms: Linux repeats an unanswered SYN after 1,000 (RFC 6298). */
const slowConnectMs = 900;

/** A longer description of what went wrong is cut off: it goes into every heartbeat. */
const maxProblemLength = 150;

/** Node.js fires a timer that is set to more after 1 ms (lib/internal/timers.js, TIMEOUT_MAX), ms. */
const maxTimerMs = 2 ** 31 - 1;

/** Sends one GET on its own connection. `stalledMs` returns for how long the process itself has been suspended so far. */
export function sendProbe(target: ProbeTarget, timeoutMs: number, stalledMs: () => number): Promise<ProbeOutcome> {
  const { promise, resolve } = Promise.withResolvers<ProbeOutcome>();
  const startedAt = performance.now();
  const stalledAtStart = stalledMs();
  const elapsedAt = (at: number) => at - startedAt - (stalledMs() - stalledAtStart);
  let slow = false;

  const request = openRequest(target);
  const finish = (problem?: string) => {
    clearTimeout(timer);
    resolve({ failure: problem === undefined ? undefined : describe(problem), slow });
  };
  const describe = (problem: string) => {
    const elapsedMs = Math.round(performance.now() - startedAt);
    const stoodStillMs = Math.round(stalledMs() - stalledAtStart);
    const still = stoodStillMs === 0 ? '' : `, of which the worker stood still for ${stoodStillMs} ms`;
    return `${target.address}: ${problem.slice(0, maxProblemLength)} after ${elapsedMs} ms${still}`;
  };
  // After a suspension, the timers of a process run before it has read what arrived meanwhile: then there is time left.
  const onTimer = () => {
    const left = timeoutMs - elapsedAt(performance.now());
    if (left > 1) timer = setTimeout(onTimer, Math.min(left, maxTimerMs));
    else request.destroy(new Error('no answer'));
  };
  let timer = setTimeout(onTimer, Math.min(timeoutMs, maxTimerMs));

  request.on('socket', (socket) => {
    socket.once('connect', () => {
      const at = performance.now();
      // After a suspension this may run before the timer that detects it; what was due before has run by the next one.
      const judge = () => {
        slow = elapsedAt(at) > slowConnectMs;
      };
      if (elapsedAt(at) > slowConnectMs) setTimeout(judge, 0);
    });
  });
  request.on('response', (response) => {
    response.on('error', () => finish('answer broken off'));
    response.on('close', () => {
      const { complete, statusCode = 500 } = response;
      if (!complete) finish('answer broken off');
      else finish(statusCode < 500 ? undefined : `status ${statusCode}`);
    });
    response.resume();
  });
  request.on('error', ({ message }) => finish(message));
  request.end();
  return promise;
}

/** The connection goes to the address; name, certificate and Host stay the URL's. */
function openRequest({ url, address }: ProbeTarget): ClientRequest {
  const options = {
    agent: false,
    host: address,
    port: url.port === '' ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, 'user-agent': 'nodeferry-probe', connection: 'close' },
  };
  return url.protocol === 'https:' ? httpsRequest({ ...options, servername: url.hostname }) : httpRequest(options);
}
