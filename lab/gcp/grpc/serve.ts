import { createRequire } from 'node:module';
import {
  type GrpcObject,
  type handleUnaryCall,
  loadPackageDefinition,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
  status,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import type { ServerTls } from '../../certificates.ts';
import { RpcError } from '../errors.ts';
import { encodeStatus } from './status.ts';

/** One call that arrived. */
interface GrpcCall {
  /** E.g. `GetNodePool`. */
  readonly method: string;
  readonly request: unknown;
  readonly userAgent: string;
  readonly authorization: string;
}

/** What became of it: an answer, or no answer at all. */
type GrpcOutcome = { readonly answer: object } | 'lost';

/** Where to listen: on 127.0.0.1. */
interface GrpcOptions {
  /** Default 0, a free one. */
  readonly port?: number;
  /** Without it the wire is in the clear. */
  readonly tls?: ServerTls;
}

/** Serves google.container.v1.ClusterManager, from the protos of the package that its client comes from. */
export async function serveGrpc(handle: (call: GrpcCall) => Promise<GrpcOutcome>, { port = 0, tls }: GrpcOptions) {
  const service = (definition ??= clusterManager()).service;
  const server = new Server();
  const answer =
    (method: string): handleUnaryCall<unknown, object> =>
    ({ request, metadata }, respond) => {
      const text = (key: string) => metadata.get(key).join();
      const userAgent = text('x-goog-api-client') || text('user-agent');
      handle({ method, request, userAgent, authorization: text('authorization') }).then(
        (outcome) => {
          if (outcome === 'lost') respond({ code: status.UNAVAILABLE, details: 'Connection dropped' });
          else respond(null, outcome.answer);
        },
        (error: unknown) => respond(failure(error)),
      );
    };
  server.addService(service, Object.fromEntries(Object.keys(service).map((method) => [method, answer(method)])));
  const pair = tls && { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.certificate) };
  const credentials =
    pair === undefined ? ServerCredentials.createInsecure() : ServerCredentials.createSsl(null, [pair]);
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, at) => (error === null ? resolve(at) : reject(error)));
  });
  return { port: bound, close: () => server.forceShutdown() };
}

/** Made once in a process: it takes a fifth of a second. */
let definition: ServiceClientConstructor | undefined;

function clusterManager(): ServiceClientConstructor {
  const protos: object = createRequire(import.meta.url)('@google-cloud/container/build/protos/protos.json');
  const loaded = loadPackageDefinition(fromJSON(protos, { longs: String, enums: String, oneofs: true }));
  const inside = (from: GrpcObject, name: string) => from[name] as GrpcObject;
  const v1 = ['google', 'container', 'v1'].reduce(inside, loaded);
  return v1['ClusterManager'] as ServiceClientConstructor;
}

/** An error with its details in the trailer in which Google sends them. What the model did not foresee is INTERNAL, with the stack. */
function failure(error: unknown) {
  const known = error instanceof RpcError ? error : new RpcError('INTERNAL', (error as Error).stack ?? String(error));
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', encodeStatus(status[known.code], known));
  return { code: status[known.code], details: known.message, metadata };
}
