import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { hasFence, mayFence } from '../../core/model/fencing-token.ts';
import type { FencingToken } from '../../core/model/node.ts';
import type { PoolLock } from '../../core/model/pool-lock.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import type { Connection } from './connection.ts';
import { type ApiAnswer, answerError } from './errors.ts';
import type { OwnNamespace } from './own-namespace.ts';
import { fenceAnnotation, formatToken, incomingPoolAnnotation, parseToken } from './ownership-marks.ts';

/** What is used of a Lease (coordination.k8s.io/v1), as JSON. */
interface LeaseObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** The lock operations, and the leases of a namespace for finding leftovers. */
export interface LeaseLocks
  extends Pick<
    Cluster,
    | 'acquireLock'
    | 'renewLock'
    | 'releaseLock'
    | 'requireLock'
    | 'fenceLock'
    | 'findIncomingPools'
    | 'findRunsMovingTo'
    | 'findHolder'
  > {
  readonly list: () => Promise<readonly LeaseObject[]>;
}

const attempts = 10;

/**
 * Locks as Leases. Every write carries the resourceVersion that it is based on, so when two callers write at once, one fails and reads
 * again. `leaseTransitions` is the fencing token: it increases when another holder takes over an expired lock. Expiry is judged by the API
 * server's clock (the `Date` of its responses), which is used both for writing and for comparing `renewTime`. So the clocks of two workers
 * do not matter. One second is added for the resolution of that header.
 */
export function leaseLocks(connection: Connection, namespace: OwnNamespace): LeaseLocks {
  async function read(name: string): Promise<{ readonly lease: LeaseObject | undefined; readonly serverNow: number }> {
    const answer = await connection.request({ resource: 'leases', verb: 'get', namespace: await namespace(), name });
    if (answer.status === 404) return { lease: undefined, serverNow: serverTime(answer) };
    if (answer.status !== 200) throw answerError(answer, { resource: 'leases', verb: 'get' });
    return { lease: answer.body as LeaseObject, serverNow: serverTime(answer) };
  }

  async function write(lease: LeaseObject): Promise<boolean> {
    const known = lease.metadata.resourceVersion !== undefined;
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease };
    const where = { resource: 'leases', namespace: await namespace(), body } as const;
    const answer = known
      ? await connection.request({ ...where, verb: 'update', name: lease.metadata.name })
      : await connection.request({ ...where, verb: 'create' });
    // A Lease that was deleted meanwhile can't be updated (404); it is read again like one that changed.
    if (answer.status === 409 || (known && answer.status === 404)) return false;
    if (answer.status !== 200 && answer.status !== 201)
      throw answerError(answer, { resource: 'leases', verb: known ? 'update' : 'create' });
    return true;
  }

  async function acquireLock(
    wanted: string,
    holder: string,
    durationMs: number,
    incomingPool?: string,
  ): Promise<PoolLock> {
    const name = leaseName(wanted);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const { lease, serverNow } = await read(name);
      const current = lease?.spec?.holderIdentity ?? '';
      const mine = current === holder;
      if (current !== '' && !mine && !expired(lease, serverNow)) throw lockHeld(lease, serverNow);
      const transitions = lease?.spec?.leaseTransitions ?? 0;
      const token = mine ? transitions : transitions + 1;
      const acquireTime = mine ? (lease?.spec?.acquireTime ?? microTime(serverNow)) : microTime(serverNow);
      const spec = { holderIdentity: holder, acquireTime, leaseTransitions: token, ...renewal(serverNow, durationMs) };
      const incoming = incomingPool === undefined ? {} : { [incomingPoolAnnotation]: incomingPool };
      const annotations = { ...lease?.metadata.annotations, ...incoming };
      if (await write({ metadata: { ...lease?.metadata, name, annotations }, spec })) return { name, holder, token };
      await delay(20 * 2 ** attempt);
    }
    throw busy(name);
  }

  async function renewLock(lock: PoolLock, durationMs: number): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const { lease, serverNow } = await read(lock.name);
      if (lease === undefined || !holds(lease, lock)) throw lockLost(lock, lease);
      if (await write({ metadata: lease.metadata, spec: { ...lease.spec, ...renewal(serverNow, durationMs) } })) return;
      await delay(20 * 2 ** attempt);
    }
    throw busy(lock.name);
  }

  async function releaseLock(lock: PoolLock): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const { lease } = await read(lock.name);
      if (lease === undefined || !holds(lease, lock)) return;
      const { uid, resourceVersion } = lease.metadata;
      const answer = await connection.request({
        resource: 'leases',
        verb: 'delete',
        namespace: await namespace(),
        name: lock.name,
        body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } },
      });
      if (answer.status === 200 || answer.status === 404) return;
      if (answer.status !== 409) throw answerError(answer, { resource: 'leases', verb: 'delete' });
      await delay(20 * 2 ** attempt);
    }
    throw busy(lock.name);
  }

  async function requireLock(wanted: string, holder: string): Promise<void> {
    const name = leaseName(wanted);
    const { lease } = await read(name);
    if (lease?.spec?.holderIdentity !== holder) throw lockLost({ name, holder }, lease);
  }

  async function fenceLock(wanted: string, fence: FencingToken): Promise<void> {
    const name = leaseName(wanted);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const { lease } = await read(name);
      if (lease?.spec?.holderIdentity !== fence.run) throw lockLost({ name, holder: fence.run }, lease);
      const annotations = lease.metadata.annotations ?? {};
      const current = parseToken(annotations[fenceAnnotation]);
      if (hasFence(fence, current)) return;
      if (!mayFence(fence, current)) throw superseded(name, fence, annotations[fenceAnnotation]);
      const fenced = { ...annotations, [fenceAnnotation]: formatToken(fence) };
      if (await write({ ...lease, metadata: { ...lease.metadata, annotations: fenced } })) return;
      await delay(20 * 2 ** attempt);
    }
    throw busy(name);
  }

  async function findIncomingPools(): Promise<readonly string[]> {
    return (await list()).flatMap(({ metadata }) => metadata.annotations?.[incomingPoolAnnotation] ?? []);
  }

  async function findRunsMovingTo(pool: string): Promise<readonly string[]> {
    return (await list())
      .filter(({ metadata }) => metadata.annotations?.[incomingPoolAnnotation] === pool)
      .flatMap(({ spec }) => spec?.holderIdentity ?? []);
  }

  async function findHolder(wanted: string): Promise<string | undefined> {
    const holder = (await read(leaseName(wanted))).lease?.spec?.holderIdentity;
    return holder === '' ? undefined : holder;
  }

  async function list(): Promise<readonly LeaseObject[]> {
    const body = await connection.fetch<{ readonly items?: readonly LeaseObject[] }>({
      resource: 'leases',
      verb: 'list',
      namespace: await namespace(),
    });
    return body.items ?? [];
  }

  return {
    acquireLock,
    renewLock,
    releaseLock,
    requireLock,
    fenceLock,
    findIncomingPools,
    findRunsMovingTo,
    findHolder,
    list,
  };
}

/**
 * The name, changed where a Lease can't have it (RFC 1123 subdomain, 253 characters). Names of node groups may have capitals and underscores, which
 * must be replaced. A hash is appended then, so that no two names become the same.
 */
export function leaseName(wanted: string): string {
  const allowed = wanted
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  if (allowed === wanted && wanted.length <= 253) return wanted;
  const hash = createHash('sha256').update(wanted).digest('hex').slice(0, 8);
  return `${allowed.slice(0, 240).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

function expired(lease: LeaseObject | undefined, serverNow: number): boolean {
  return serverNow > expiresAt(lease) + 1_000;
}

/** Epoch ms; a Lease without times is expired. */
function expiresAt(lease: LeaseObject | undefined): number {
  const renewed = Date.parse(lease?.spec?.renewTime ?? '');
  if (Number.isNaN(renewed)) return 0;
  return renewed + (lease?.spec?.leaseDurationSeconds ?? 0) * 1000;
}

function holds(lease: LeaseObject, lock: PoolLock): boolean {
  return lease.spec?.holderIdentity === lock.holder && lease.spec.leaseTransitions === lock.token;
}

function renewal(serverNow: number, durationMs: number) {
  return { renewTime: microTime(serverNow), leaseDurationSeconds: Math.max(1, Math.ceil(durationMs / 1000)) };
}

/** Time of the API server's response, epoch ms; our own when it has none. */
function serverTime(answer: ApiAnswer): number {
  const date = Date.parse(answer.headers['date'] ?? '');
  return Number.isNaN(date) ? Date.now() : date;
}

/** As meta/v1 MicroTime wants it. */
function microTime(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}

function lockHeld(lease: LeaseObject | undefined, serverNow: number): NodeferryError {
  const seconds = Math.ceil((expiresAt(lease) - serverNow) / 1000);
  const where = `${lease?.metadata.namespace}/${lease?.metadata.name}`;
  return new NodeferryError({
    code: 'LockHeld',
    message: `Lease ${where} is held by ${lease?.spec?.holderIdentity} for another ${seconds} s`,
    hint: `Let that run end or abort it. If the holder no longer exists, the lock is free once it expires.`,
  });
}

function lockLost(
  lock: Pick<PoolLock, 'name' | 'holder'> & Partial<PoolLock>,
  lease: LeaseObject | undefined,
): NodeferryError {
  const now =
    lease === undefined
      ? 'it is gone'
      : `${lease.spec?.holderIdentity || 'nobody'} holds it (token ${lease.spec?.leaseTransitions})`;
  return new NodeferryError({
    code: 'LockLost',
    message: `Lease ${lock.name} is no longer held by ${lock.holder}${lock.token === undefined ? '' : ` (token ${lock.token})`}: ${now}`,
    hint: 'Another run works on this pool, or somebody deleted the Lease. No further node is excluded until it is acquired again.',
  });
}

function superseded(name: string, fence: FencingToken, current: string | undefined): NodeferryError {
  return new NodeferryError({
    code: 'Superseded',
    message: `Lease ${name} is fenced by ${current ?? 'nobody'}, which came after ${formatToken(fence)}`,
    hint: 'Nothing is to be done: the later attempt continues.',
  });
}

function busy(name: string): NodeferryError {
  return new NodeferryError({
    code: 'Conflict',
    message: `Lease ${name} changed during each of ${attempts} attempts to write it`,
  });
}
