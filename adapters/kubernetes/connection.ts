import { setTimeout as delay } from 'node:timers/promises';
import {
  type HttpMethod,
  IsomorphicFetchHttpLibrary,
  PatchStrategy,
  RequestContext,
  Watch,
} from '@kubernetes/client-node';

import { NodeferryError } from '../../core/model/problem.ts';
import { watchClockSkew } from './clock-skew.ts';
import {
  type ApiAnswer,
  answerError,
  denialOf,
  isServerFailure,
  isTimeout,
  retryAfterMs,
  transportError,
} from './errors.ts';
import { loadConfig } from './kubeconfig.ts';
import { watchOutages } from './outage.ts';
import { type Operation, resourcePath, type Verb, type WatchedResource } from './resources.ts';

/** Where the cluster is and which identity to use. */
export interface ConnectionOptions {
  /** File to read. Default: $KUBECONFIG, ~/.kube/config, the pod's service account, in that order. */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig; default: its current one. */
  readonly context?: string;
  /** Longest wait for one response, ms. */
  readonly requestTimeoutMs?: number;
  /** How long credentials that were accepted before may be refused before the refusal is believed, ms. Default: one minute. */
  readonly refusedForMs?: number;
}

/** One request. The table in resources.ts determines what may be asked. */
type ApiRequest = Operation & {
  readonly namespace?: string;
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON; for `patch` a JSON merge patch (RFC 7396). */
  readonly body?: unknown;
  readonly timeoutMs?: number;
};

/** A stream of changes. */
export interface WatchStream {
  /** Resolves with true once the server has accepted the watch, with false when it never did. */
  readonly opened: Promise<boolean>;
  /** `gone`: the server no longer has the history asked for (410). Rejects when the stream breaks. */
  readonly ended: Promise<'ended' | 'gone'>;
  abort(): void;
}

/** The connection to one API server. */
export interface Connection {
  /** Resolves with whatever is answered. @throws NodeferryError ClusterUnreachable when nothing is */
  send(request: ApiRequest): Promise<ApiAnswer>;
  /** The same, but waits and retries when throttled or (for some seconds) forbidden. @throws NodeferryError Throttled when that goes on */
  request(request: ApiRequest): Promise<ApiAnswer>;
  /** The body of a 2xx response. @throws NodeferryError for any other */
  fetch<T>(request: ApiRequest): Promise<T>;
  watch(
    resource: WatchedResource,
    query: Readonly<Record<string, string>>,
    onEvent: (type: string, object: unknown) => void,
  ): WatchStream;
  /** Version of the API server, `v1.36.1`. @throws NodeferryError ClusterUnreachable, Forbidden */
  readVersion(): Promise<string>;
  /** Increases whenever the network connection has been replaced because something on it failed. */
  generation(): number;
  /** Epoch ms at which the server last recovered from an outage; undefined when there was none. */
  outageAt(): number | undefined;
  /** How far our clock is ahead of the API server's, ms. */
  clockAheadMs(): number;
  close(): void;
}

const defaultTimeoutMs = 30_000;
const throttledAttempts = 5;
const refusedForMs = 60_000;
/** An API server that has just started forbids everything for a moment, until it has read the roles. */
const forbiddenAttempts = 4;

const methods = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const satisfies Record<Verb, `${HttpMethod}`>;

/**
 * Opens the connection to the cluster of a kubeconfig. Nothing is sent yet.
 *
 * The SDK (client-node 2) creates a new undici agent for every request, hence a new TLS connection each time. Here all
 * requests and watches share one agent. Over HTTP/2, which the API server offers, they then share one network connection,
 * so that a response also proves that the connection of the watches is alive.
 *
 * @throws NodeferryError ClusterUnreachable when the kubeconfig can't be used
 */
export function openConnection(options: ConnectionOptions): Connection {
  const http = new IsomorphicFetchHttpLibrary();
  let dispatcher: ReturnType<RequestContext['getDispatcher']>;
  let generation = 0;
  /** Whether the server has accepted our credentials before. If it refuses them now, that may be a fault of the server. */
  let wasAccepted = false;
  const outages = watchOutages();
  const skew = watchClockSkew();
  let { config, server, watcher } = openSession();

  /** Reads the credentials again; the SDK keeps tokens for as long as its KubeConfig lives. */
  function openSession() {
    const session = loadConfig(options);
    const authenticate = session.config.applySecurityAuthentication.bind(session.config);
    session.config.applySecurityAuthentication = async (context) => {
      await authenticate(context);
      dispatcher ??= context.getDispatcher();
      if (dispatcher !== undefined) context.setDispatcher(dispatcher);
    };
    return { ...session, watcher: new Watch(session.config) };
  }

  function introduceAgain(): void {
    reconnect();
    try {
      ({ config, server, watcher } = openSession());
    } catch {
      // The kubeconfig is just being written: keep the previous session.
    }
  }

  function reconnect(): void {
    generation += 1;
    const old = dispatcher;
    dispatcher = undefined;
    // Lets requests in progress end. A rejection would only mean that it was already closed.
    old?.close().catch(() => undefined);
  }

  async function attempt(request: ApiRequest): Promise<ApiAnswer> {
    const url = new URL(server + resourcePath(request.resource, request.namespace, request.name));
    for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
    const context = new RequestContext(url.toString(), methods[request.verb] as HttpMethod);
    if (request.body !== undefined) {
      context.setHeaderParam('Content-Type', request.verb === 'patch' ? PatchStrategy.MergePatch : 'application/json');
      context.setBody(JSON.stringify(request.body));
    }
    return await exchange(context, request.timeoutMs);
  }

  async function exchange(context: RequestContext, timeoutMs?: number): Promise<ApiAnswer> {
    context.setHeaderParam('Accept', 'application/json');
    context.setHeaderParam('User-Agent', 'nodeferry');
    context.setSignal(AbortSignal.timeout(timeoutMs ?? options.requestTimeoutMs ?? defaultTimeoutMs));
    await config.applySecurityAuthentication(context);
    const response = await http.send(context).toPromise();
    const text = await response.body.text();
    return { status: response.httpStatusCode, headers: response.headers, body: parseBody(text) };
  }

  /**
   * An API server that EKS takes out of service keeps answering on its existing connections, and answers 401 to everybody
   * (aws/containers-roadmap#1810). A new connection reaches another server, with credentials that are read again.
   */
  async function send(wanted: ApiRequest): Promise<ApiAnswer> {
    const until = Date.now() + (options.refusedForMs ?? refusedForMs);
    for (let tries = 1; ; tries += 1) {
      const before = generation;
      const answer = await sendOnce(wanted);
      if (answer.status !== 401) {
        wasAccepted = true;
        return answer;
      }
      if (generation === before) introduceAgain();
      if (tries === 1) continue;
      if (!wasAccepted || Date.now() >= until) return answer;
      await delay(1_000);
    }
  }

  async function sendOnce(wanted: ApiRequest): Promise<ApiAnswer> {
    for (let tries = 1; ; tries += 1) {
      const before = generation;
      const startedAt = Date.now();
      try {
        const answer = await attempt(wanted);
        skew.heard(answer.headers['date'], startedAt, Date.now());
        if (isServerFailure(answer)) outages.failed(startedAt);
        else outages.answered();
        return answer;
      } catch (error) {
        outages.failed(startedAt);
        // Of many requests that fail on one connection, the first replaces it.
        if (generation === before) reconnect();
        // A kept-alive connection may have been closed just then, and every request of ours may be sent twice.
        if (isTimeout(error) || tries === 2) throw transportError(error, wanted);
      }
    }
  }

  async function request(wanted: ApiRequest): Promise<ApiAnswer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await send(wanted);
      if (answer.status === 403 && denialOf(answer) === undefined && tries < forbiddenAttempts) await delay(1_000);
      else if (answer.status !== 429) return answer;
      else if (tries === throttledAttempts) throw answerError(answer, wanted);
      else await delay(retryAfterMs(answer) ?? 1_000);
    }
  }

  async function fetch<T>(wanted: ApiRequest): Promise<T> {
    const answer = await request(wanted);
    if (answer.status < 200 || answer.status >= 300) throw answerError(answer, wanted);
    return answer.body as T;
  }

  async function readVersion(): Promise<string> {
    const answer = await exchange(new RequestContext(`${server}/version`, 'GET' as HttpMethod)).catch(
      (error: unknown) => {
        throw transportError(error, 'get /version');
      },
    );
    if (answer.status !== 200) throw answerError(answer, 'get /version');
    const { gitVersion } = answer.body as { readonly gitVersion?: string };
    return gitVersion ?? 'of an unknown version';
  }

  function watch(
    resource: WatchedResource,
    query: Readonly<Record<string, string>>,
    onEvent: (type: string, object: unknown) => void,
  ): WatchStream {
    const { promise: ended, resolve, reject } = Promise.withResolvers<'ended' | 'gone'>();
    let over = false;
    const before = generation;
    const finish = (error: unknown) => {
      if (over) return;
      over = true;
      if (statusCodeOf(error) === 401 && generation === before) introduceAgain();
      if (error === null || error === undefined) resolve('ended');
      else if (statusCodeOf(error) === 410) resolve('gone');
      else {
        outages.failed(Date.now());
        reject(watchError(error, resource));
      }
    };
    const opening = watcher.watch(resourcePath(resource), { ...query }, onEvent, finish);
    opening.catch(finish);
    return {
      opened: opening.then(
        () => !over,
        () => false,
      ),
      ended,
      abort: () => {
        finish(undefined);
        opening.then(
          (controller) => controller.abort(),
          () => undefined,
        );
      },
    };
  }

  const outageAt = () => outages.outageAt();
  return {
    send,
    request,
    fetch,
    watch,
    readVersion,
    generation: () => generation,
    outageAt,
    clockAheadMs: () => skew.aheadMs(),
    close: reconnect,
  };
}

function watchError(error: unknown, resource: WatchedResource): NodeferryError {
  const operation = { resource, verb: 'watch' } as const;
  const status = statusCodeOf(error);
  if (status === undefined) return transportError(error, operation);
  return answerError({ status, headers: {}, body: { message: String(error) } }, operation);
}

function statusCodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : undefined;
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
