import { type Clock, realClock } from '../aws/clock.ts';
import { seededRandom } from '../aws/random.ts';
import type { ServerTls } from '../certificates.ts';
import type { DataPlane, InstanceHooks } from '../contracts.ts';
import { requireReachable } from './compute/aggregate.ts';
import { driveDataPlane } from './compute/balancing/follow.ts';
import { computeHandlers } from './compute/handlers.ts';
import { readScope } from './compute/links.ts';
import { serveCompute } from './compute/serve.ts';
import { HttpError, RpcError } from './errors.ts';
import { actBefore, type Faults, faultControls, httpFault, noFaults, rpcFault, takeFault } from './faults.ts';
import { gkeHandlers } from './gke/handlers.ts';
import { serveGrpc } from './grpc/serve.ts';
import { serveMetadata } from './metadata.ts';
import { permissionOf, testIamPermissions } from './permissions.ts';
import { type GcpDelays, presets } from './presets.ts';
import { type ClusterSeed, seedCluster } from './seed.ts';
import type { World } from './world.ts';

const defaultProject = 'lab-project';

const noHooks: InstanceHooks = { boot: () => {}, terminate: () => {} };

/** Where to listen, and the initial state. */
export interface SimulatedGcpOptions {
  readonly clusters: readonly ClusterSeed[];
  /** Default `lab-project`. */
  readonly project?: string;
  /** Default `europe-west1`. */
  readonly region?: string;
  /** Default the region's zones `b` and `c`. */
  readonly zones?: readonly string[];
  /** Delays; those left out are as in the preset `fast`. */
  readonly delays?: Partial<GcpDelays>;
  readonly clock?: Clock;
  /** Called for VMs that run and that are deleted; those of `clusters` boot before `startSimulatedGcp` resolves. */
  readonly hooks?: InstanceHooks;
  /**
   * Forwards what forwarding rules, backend services and target pools say, and checks the health of their members. Without it, nothing is forwarded, and
   * members are healthy some time after they were attached.
   */
  readonly dataPlane?: DataPlane;
  /** What IAM allows the caller; without it, everything. */
  readonly permissions?: readonly string[];
  readonly seed?: number;
  /** For the wires of all APIs; without it, they are in the clear. */
  readonly tls?: ServerTls;
}

/** One call in the log. */
interface LoggedCall {
  readonly at: number;
  readonly service: 'gke' | 'compute';
  /** `CreateNodePool`, `instances.get`. */
  readonly method: string;
  /** `ok`, `lost`, or the error's code or status. */
  readonly outcome: string;
  readonly userAgent: string;
  /** The request; of Compute Engine, its path, query and body together. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What GKE got as `authorization`. */
  readonly authorization?: string;
}

/** What a simulated Google contains at the beginning. */
type WorldOptions = Omit<SimulatedGcpOptions, 'tls'>;

/** A running simulated Google. */
export interface SimulatedGcp {
  /** Port of GKE's gRPC on 127.0.0.1. */
  readonly gkePort: number;
  /** `https://127.0.0.1:<port>`, or `http://…` without TLS: Compute Engine and Resource Manager. */
  readonly computeUrl: string;
  /** `127.0.0.1:<port>` of the metadata server, for GCE_METADATA_HOST. */
  readonly metadataHost: string;
  readonly model: World;
  readonly faults: Faults;
  /** Calls so far, oldest first. */
  readonly requests: readonly LoggedCall[];
  /** Begins anew with another world, behind the same ports: clients of GKE take long to start. */
  reset(options: WorldOptions): void;
  close(): Promise<void>;
}

/** Starts the simulated Google. Tokens are not checked: any will do. */
export async function startSimulatedGcp(options: SimulatedGcpOptions): Promise<SimulatedGcp> {
  // No call arrives before the ports are known to anybody.
  let now: ReturnType<typeof begin>;

  /** Applies faults, answers, and writes the log. */
  const dispatch = async (
    call: Omit<LoggedCall, 'at' | 'outcome'>,
    failed: (kind: Parameters<typeof rpcFault>[0]) => Error,
    handle: () => object | Promise<object>,
  ): Promise<object | 'lost'> => {
    const { world, requests, allowed } = now;
    const log = (outcome: string) => void requests.push({ ...call, at: world.clock.now(), outcome });
    const fault = takeFault(world.faults, call.service, call.method);
    try {
      if (fault !== undefined && fault !== 'lost') throw failed(fault);
      const mayCall = call.method === testIamPermissions || allowed?.includes(permissionOf(call.method)) !== false;
      if (!mayCall) throw failed('forbidden');
      actBefore(world.faults, call.method);
      const answer = await handle();
      log(fault === 'lost' ? 'lost' : 'ok');
      return fault === 'lost' ? 'lost' : answer;
    } catch (error) {
      // No answer of a call that took no effect is lost: that of a later one will be.
      if (fault === 'lost') world.faults.calls.push({ kind: fault, match: { method: call.method }, left: 1 });
      log(error instanceof RpcError ? error.code : error instanceof HttpError ? String(error.status) : 'broken');
      throw error;
    }
  };

  const project = options.project ?? defaultProject;
  const metadata = await serveMetadata(project);
  const compute = await serveCompute(
    project,
    async ({ method, userAgent, path, query, body }) => {
      const input = { ...path, ...Object.fromEntries(query), ...body };
      return await dispatch(
        { service: 'compute', method, userAgent, input },
        (kind) => httpFault(kind, method),
        () => {
          if (method === testIamPermissions) return grantedOf(body, now.allowed);
          const handler = now.compute[method];
          if (handler === undefined)
            throw new HttpError(501, 'notImplemented', `the simulated Compute Engine has no ${method}`);
          requireReachable(now.world, readScope(path));
          return handler({ path, query, body });
        },
      );
    },
    options.tls,
  );
  now = begin(options, compute.url);
  const grpc = await serveGrpc(
    async ({ method, userAgent, authorization, request }) => {
      const input = request as Record<string, unknown>;
      const answer = await dispatch(
        { service: 'gke', method, userAgent, authorization, input },
        (kind) => rpcFault(kind, method),
        () => {
          const handler = now.gke[method];
          if (handler === undefined) throw new RpcError('UNIMPLEMENTED', `the simulated GKE has no ${method}`);
          return handler(request as never);
        },
      );
      return answer === 'lost' ? 'lost' : { answer };
    },
    options.tls === undefined ? {} : { tls: options.tls },
  );

  return {
    gkePort: grpc.port,
    computeUrl: compute.url,
    metadataHost: metadata.host,
    get model() {
      return now.world;
    },
    get faults() {
      return faultControls(now.world.faults);
    },
    get requests() {
      return now.requests;
    },
    reset: (next) => {
      now = begin(next, compute.url);
    },
    close: async () => {
      grpc.close();
      await Promise.all([compute.close(), metadata.close()]);
    },
  };
}

/** Those of the permissions in the request that the caller has. */
function grantedOf({ permissions }: Readonly<Record<string, unknown>>, allowed: readonly string[] | undefined): object {
  const asked = Array.isArray(permissions) ? permissions.map(String) : [];
  return { permissions: asked.filter((one) => allowed?.includes(one) !== false) };
}

function begin(options: WorldOptions, computeBase: string) {
  const world = createWorld(options, computeBase);
  const requests: LoggedCall[] = [];
  return { world, requests, gke: gkeHandlers(world), compute: computeHandlers(world), allowed: options.permissions };
}

function createWorld(options: WorldOptions, computeBase: string): World {
  const region = options.region ?? 'europe-west1';
  const { dataPlane } = options;
  const balancing = dataPlane && { members: new Map(), propagations: new Map() };
  const world: World = {
    project: options.project ?? defaultProject,
    region,
    zones: options.zones ?? [`${region}-b`, `${region}-c`],
    clock: options.clock ?? realClock(),
    random: seededRandom(options.seed ?? 1),
    delays: { ...presets.fast, ...options.delays },
    hooks: options.hooks ?? noHooks,
    faults: noFaults(),
    computeBase,
    clusters: new Map(),
    gkeOperations: new Map(),
    instances: new Map(),
    deregisteredAt: new Map(),
    groups: new Map(),
    lastHosts: new Map(),
    resources: new Map(),
    failing: new Set(),
    computeOperations: new Map(),
    requestIds: new Map(),
    groupListeners: [],
    balancing,
    changeListeners: new Set(),
  };
  if (dataPlane && balancing) driveDataPlane(world, balancing, dataPlane);
  for (const cluster of options.clusters) seedCluster(world, cluster);
  return world;
}
