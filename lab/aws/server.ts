import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ServerTls } from '../certificates.ts';
import { createHttpServer } from '../http-server.ts';
import { createWorld, type WorldOptions } from './create-world.ts';
import { createDispatcher, type LoggedCall } from './dispatch.ts';
import type { Nodegroup } from './eks/state.ts';
import { resolveName } from './elbv2/traffic.ts';
import { type Faults, faultControls } from './faults.ts';
import { addSeed, type NodegroupSeed } from './seed.ts';
import type { World } from './world.ts';

/** Where to listen, and the initial state. */
export interface SimulatedAwsOptions extends WorldOptions {
  /** TCP port on 127.0.0.1; default 0, a free one. */
  readonly port?: number;
  /** For the TCP port; without it, that is in the clear. */
  readonly tls?: ServerTls;
  /** Listens there as well, in the clear; a socket file that is left over is replaced. */
  readonly socketPath?: string;
  readonly nodegroups?: readonly NodegroupSeed[];
}

/** A running simulated AWS. */
export interface SimulatedAws {
  /** For AWS_ENDPOINT_URL: `http://127.0.0.1:<port>`, or `https://…` with TLS. */
  readonly url: string;
  /** Everything that exists, for reading. */
  readonly model: World;
  readonly faults: Faults;
  /** Calls so far, oldest first. */
  readonly requests: readonly LoggedCall[];
  seedNodegroup(seed: NodegroupSeed): Nodegroup;
  /** Addresses that DNS returns for a load balancer's name at this moment. */
  resolve(dnsName: string): readonly string[];
  /** Calls the listener after every change; the returned function ends that. */
  onChange(listener: () => void): () => void;
  /** Stops listening. The cloud's timers don't keep the process alive. */
  close(): Promise<void>;
}

/** Starts the simulated AWS. Signatures are not checked: any credentials will do. */
export async function startSimulatedAws(options: SimulatedAwsOptions): Promise<SimulatedAws> {
  const world = createWorld(options);
  const requests: LoggedCall[] = [];
  const dispatch = createDispatcher(world, requests);
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    void answer(world, dispatch, request, response).catch((error: Error) => response.destroy(error));
  };
  const { server: tcp, scheme } = createHttpServer(handle, options.tls);
  const servers = [tcp];
  await listen(tcp, { host: '127.0.0.1', port: options.port ?? 0 });
  if (options.socketPath !== undefined) {
    rmSync(options.socketPath, { force: true });
    const server = createServer(handle);
    servers.push(server);
    await listen(server, { path: options.socketPath });
  }
  for (const nodegroup of options.nodegroups ?? []) addSeed(world, nodegroup);
  return {
    url: `${scheme}://127.0.0.1:${(tcp.address() as AddressInfo).port}`,
    model: world,
    faults: faultControls(world.faults),
    requests,
    seedNodegroup: (nodegroup) => addSeed(world, nodegroup),
    resolve: (dnsName) => resolveName(world, dnsName),
    onChange: (listener) => {
      world.changeListeners.add(listener);
      return () => void world.changeListeners.delete(listener);
    },
    close: async () => {
      await Promise.all(servers.map(closeServer));
    },
  };
}

async function answer(
  world: World,
  dispatch: ReturnType<typeof createDispatcher>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  const raw = { method, url, authorization: headers.authorization ?? '', body: await text(request) };
  const dispatched = dispatch(raw, headers['user-agent'] ?? '', randomUUID());
  if (dispatched.delayMs > 0) {
    await new Promise<void>((resolve) => void world.clock.after(dispatched.delayMs, resolve));
  }
  response.writeHead(dispatched.answer.status, dispatched.answer.headers).end(dispatched.answer.body);
}

async function listen(server: Server, where: { host: string; port: number } | { path: string }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(where, resolve);
  });
}

async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
