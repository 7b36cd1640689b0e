import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import { NodeferryError } from '../../core/model/problem.ts';
import type { Connection, WatchStream } from './connection.ts';
import { unreachable } from './errors.ts';
import type { WatchedResource } from './resources.ts';

/** The part of every API object that the caches need. */
export interface WatchedObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: unknown;
  };
}

/** Body of a list. */
export interface ListBody {
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items?: readonly WatchedObject[];
}

/** A cache of one resource that follows the API server; catch-up.ts determines whether it is up to date. */
export interface Reflector<T> {
  readonly resource: WatchedResource;
  /** The mapped objects, in no particular order. */
  values(): T[];
  /** Increases with every change of the objects. */
  version(): number;
  /** State of the cache. */
  state(): ReflectorState;
  start(): void;
  stop(): void;
  /** Lists everything again. */
  restart(): void;
  /** The cache must reach this version of the object, which is the response to a write of ours. */
  expectWrite(object: WatchedObject): void;
  /** The cache must see this object disappear, or its deletion begin. */
  expectDeletion(ref: { readonly namespace?: string; readonly name: string; readonly uid: string }): void;
  /**
   * Resolves with true as soon as the condition holds, with false at the deadline (epoch ms). @throws NodeferryError Forbidden when the resource may
   * not be read
   */
  waitUntil(condition: () => boolean, deadline: number): Promise<boolean>;
}

/** State of a cache. */
interface ReflectorState {
  /** Everything up to this resourceVersion has been seen. */
  readonly reached: bigint;
  readonly size: number;
  /** Whether everything that we wrote ourselves has been seen. */
  readonly ownWritesSeen: boolean;
  /** The watch that keeps the cache current; undefined while there is none, e.g. between two. */
  readonly stream: object | undefined;
  /** Epoch ms of the last event. */
  readonly lastEventAt: number;
  /** Epoch ms at which the last page of a list came. */
  readonly lastPageAt: number;
  readonly lastError: NodeferryError | undefined;
}

interface Cached<T> {
  readonly uid: string;
  readonly deleting: boolean;
  readonly value: T | undefined;
}

/** The server ends each watch after this time; 2 s before, it sends a bookmark if it has news (k8s.io/apiserver pkg/storage/cacher). */
const watchSeconds = 10;
/** A watch that has been silent for longer is considered dead: the server would have ended it by then. */
const silenceMs = 13_000;
/** A watch is accepted at once or, by an API server in trouble, possibly never. */
const openWithinMs = 8_000;
const minWatchMs = 1_000;
const maxBackoffMs = 1_000;
const pageSize = '500';

/**
 * Keeps a cache of one resource by list and watch. The server is asked to end each watch after ten seconds, so that a dead
 * connection is noticed soon even on a quiet resource. The next watch resumes where the cache is, also after a lost connection.
 * After 410 Gone the resource is listed again.
 *
 * `keep` maps an object to what is kept of it. Objects for which it returns undefined count, but are not in values().
 */
export function createReflector<R extends WatchedObject, T>(
  connection: Connection,
  resource: WatchedResource,
  keep: (object: R) => T | undefined,
): Reflector<T> {
  let objects = new Map<string, Cached<T>>();
  let expectedDeletions = new Map<string, string>();
  let expectedVersion = 0n;
  let reached = 0n;
  let version = 0;
  let listed = false;
  let lastEventAt = 0;
  let lastPageAt = 0;
  let lastError: NodeferryError | undefined;
  let refusal: NodeferryError | undefined;
  let running: AbortController | undefined;
  let stream: WatchStream | undefined;
  let liveStream: WatchStream | undefined;
  const changed = new EventEmitter().setMaxListeners(0);

  function store(into: Map<string, Cached<T>>, object: WatchedObject): void {
    const { uid, deletionTimestamp } = object.metadata ?? {};
    into.set(keyOf(object.metadata), {
      uid: uid ?? '',
      deleting: deletionTimestamp !== undefined,
      value: keep(object as R),
    });
  }

  function settleDeletions(): void {
    for (const [key, uid] of expectedDeletions) {
      const cached = objects.get(key);
      if (cached === undefined || cached.uid !== uid || cached.deleting) expectedDeletions.delete(key);
    }
  }

  async function list(signal: AbortSignal): Promise<void> {
    const before = expectedDeletions;
    expectedDeletions = new Map();
    const fresh = new Map<string, Cached<T>>();
    let page: ListBody | undefined;
    do {
      const query: Record<string, string> = { limit: pageSize };
      if (page?.metadata.continue) query['continue'] = page.metadata.continue;
      page = await connection.fetch<ListBody>({ resource, verb: 'list', query }).catch((error: unknown) => {
        expectedDeletions = new Map([...before, ...expectedDeletions]);
        throw error;
      });
      lastPageAt = Date.now();
      for (const object of page.items ?? []) store(fresh, object);
    } while (page.metadata.continue);
    if (signal.aborted) return;
    refusal = undefined;
    objects = fresh;
    reached = versionOf(page);
    listed = true;
    version += 1;
    settleDeletions();
  }

  function onEvent(type: string, object: WatchedObject): void {
    lastEventAt = Date.now();
    if (type === 'ERROR') {
      listed = false;
      return;
    }
    if (type === 'ADDED' || type === 'MODIFIED') store(objects, object);
    if (type === 'DELETED') objects.delete(keyOf(object.metadata));
    if (type !== 'BOOKMARK') version += 1;
    const seen = versionOf(object);
    if (seen > reached) reached = seen;
    settleDeletions();
    changed.emit('change');
  }

  async function watch(signal: AbortSignal): Promise<void> {
    const query = {
      resourceVersion: String(reached),
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(watchSeconds),
    };
    const current = connection.watch(resource, query, (type, object) => {
      if (stream === current) onEvent(type, object as WatchedObject);
    });
    stream = current;
    lastEventAt = Date.now();
    const abort = () => current.abort();
    signal.addEventListener('abort', abort);
    const generation = connection.generation();
    const check = setInterval(() => {
      const silentFor = Date.now() - lastEventAt;
      const silent = silentFor > (liveStream === current ? silenceMs : openWithinMs);
      if (silent || connection.generation() !== generation) current.abort();
    }, 200);
    void current.opened.then((open) => {
      if (!open || stream !== current) return;
      liveStream = current;
      lastError = undefined;
      changed.emit('change');
    });
    try {
      if ((await current.ended) === 'gone') listed = false;
    } finally {
      clearInterval(check);
      signal.removeEventListener('abort', abort);
      if (stream === current) stream = undefined;
      if (liveStream === current) liveStream = undefined;
    }
  }

  async function follow(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      const startedAt = Date.now();
      let retryAfterMs: number | undefined;
      try {
        if (!listed) await list(signal);
        if (!signal.aborted) await watch(signal);
      } catch (error) {
        if (signal.aborted) return;
        lastError = error instanceof NodeferryError ? error : unreachable(String(error), error);
        retryAfterMs = lastError.retryAfterMs;
        // The error of a refused watch gives no reason; the list, which is retried for some seconds, does.
        if (lastError.problem.code === 'Forbidden') {
          if (!listed) refusal = lastError;
          listed = false;
        }
        changed.emit('change');
      }
      // A watch that ended early without an error counts as a failure too: a server that does this each time must not be flooded.
      failures = Date.now() - startedAt < minWatchMs ? failures + 1 : 0;
      if (failures === 0) continue;
      const backoff = retryAfterMs ?? Math.min(25 * 2 ** failures, maxBackoffMs);
      await delay(backoff, undefined, { signal }).catch(() => undefined);
    }
  }

  function start(): void {
    if (running !== undefined) return;
    running = new AbortController();
    void follow(running.signal);
  }

  function stop(): void {
    running?.abort();
    running = undefined;
    stream = undefined;
    liveStream = undefined;
    listed = false;
  }

  return {
    resource,
    values: () => [...objects.values()].flatMap(({ value }) => (value === undefined ? [] : [value])),
    version: () => version,
    state: () => ({
      reached,
      size: objects.size,
      ownWritesSeen: reached >= expectedVersion && expectedDeletions.size === 0,
      stream: listed ? liveStream : undefined,
      lastEventAt,
      lastPageAt,
      lastError,
    }),
    start,
    stop,
    restart: () => {
      stop();
      start();
    },
    expectWrite: (object) => {
      const written = versionOf(object);
      if (written > expectedVersion) expectedVersion = written;
    },
    expectDeletion: (ref) => {
      if (running === undefined) return;
      expectedDeletions.set(keyOf(ref), ref.uid);
      settleDeletions();
    },
    waitUntil: async (condition, deadline) => {
      while (!condition()) {
        const left = deadline - Date.now();
        if (left <= 0) return false;
        if (refusal !== undefined) throw refusal;
        await once(changed, 'change', { signal: AbortSignal.timeout(Math.min(left, 20)) }).catch(() => undefined);
      }
      return true;
    },
  };
}

/** The resourceVersion of an object or list as a number; resourceVersions can be compared (Kubernetes KEP-5504). */
export function versionOf(object: WatchedObject | ListBody): bigint {
  return BigInt(object.metadata?.resourceVersion ?? '0');
}

function keyOf(metadata: { readonly namespace?: string; readonly name?: string } | undefined): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
