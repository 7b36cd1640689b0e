/**
 * Forwards between the root namespace and the lab. Unix sockets in the file system are visible from every network namespace, so a forward has two
 * halves that meet at one: socat inside, this process outside.
 */
import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type StartOptions, start, until } from './process.ts';

/** One half of a forward. */
export interface Forward {
  close(): Promise<void>;
}

/** A listener of this process on 127.0.0.1. */
interface LocalForward extends Forward {
  readonly port: number;
}

/** Where a forward leads to. */
type Destination = { readonly path: string } | { readonly host: string; readonly port: number };

/** Listens on 127.0.0.1 of the root namespace, on a free port when port is 0. */
export async function forwardFromLocalhost(port: number, to: Destination): Promise<LocalForward> {
  const forward = await listen({ host: '127.0.0.1', port }, to);
  const address = forward.server.address();
  if (address === null || typeof address === 'string') throw new Error('the forward has no TCP address');
  return { port: address.port, close: () => forward.close() };
}

/** Listens on a unix socket for clients inside the lab. */
export async function forwardFromSocket(path: string, to: Destination): Promise<Forward> {
  await rm(path, { force: true });
  return listen({ path }, to);
}

/** Inside a namespace: from 127.0.0.1:port to a unix socket. */
export function portToSocket(namespace: string, port: number, path: string, log: string): ChildProcess {
  return socat(
    namespace,
    `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,nodelay,backlog=128`,
    `UNIX-CONNECT:${path}`,
    log,
  );
}

/** Inside a namespace: from a unix socket to an address; resolves when the socket accepts connections. */
export async function socketToAddress(
  namespace: string,
  path: string,
  address: string,
  log: string,
): Promise<ChildProcess> {
  await rm(path, { force: true });
  const child = socat(namespace, `UNIX-LISTEN:${path},fork,backlog=128`, `TCP:${address},nodelay`, log);
  await until(() => accepts(path), { what: `${path} does not listen`, timeoutMs: 10_000, everyMs: 20 });
  return child;
}

function socat(namespace: string, from: string, to: string, log: string): ChildProcess {
  const options: StartOptions = { namespace, log };
  return start('socat', [from, to], options);
}

async function accepts(path: string): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(undefined));
  });
}

async function listen(
  at: { path: string } | { host: string; port: number },
  to: Destination,
): Promise<{ server: Server } & Forward> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    const outer = connect({ ...to, allowHalfOpen: true });
    join(inner, outer, open);
    join(outer, inner, open);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => resolve());
  });
  const close = async (): Promise<void> => {
    for (const socket of open) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { server, close };
}

/** Copies one direction; the end of one side ends the other, and a failure of one breaks the other. */
function join(from: Socket, to: Socket, open: Set<Socket>): void {
  open.add(from);
  from.setNoDelay(true);
  from.pipe(to);
  from.on('error', () => to.destroy());
  from.on('close', () => {
    open.delete(from);
    if (!from.readableEnded) to.destroy();
  });
}
