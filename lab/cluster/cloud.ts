/** What the lab needs of a simulated cloud, whichever it is. */
import type { V1Service } from '@kubernetes/client-node';
import type { CloudDelays, DataPlane } from '../contracts.ts';
import type { ControlPlaneProcess } from './control-plane.ts';
import type { Machines } from './machines.ts';

/** A Service behind a load balancer, as clients see it. */
export interface LoadBalancedService {
  readonly namespace: string;
  readonly name: string;
  /** From the Service's status: a name or an address. */
  readonly hostname: string;
  readonly port: number;
  /** With `Local`, only nodes that have pods of the Service are targets, or the pods themselves are. */
  readonly externalTrafficPolicy: 'Local' | 'Cluster';
  /** One address per zone, or one for all. */
  readonly vips: readonly { readonly zone: string; readonly address: string }[];
}

/** How long a simulated cloud takes for what every upgrade needs, ms. */
export type UpgradeDelays = Pick<
  CloudDelays,
  | 'instanceTerminationMs'
  | 'nodegroupCreateMs'
  | 'nodegroupDeleteMs'
  | 'registrationMs'
  | 'deregistrationPropagationMs'
  | 'healthyPropagationMs'
>;

/** A simulated cloud that runs. */
export interface LabCloud<Service extends LoadBalancedService> {
  /** The provider of its node pools, as policies name it. */
  readonly provider: 'eks' | 'gke';
  /** Label of nodes with the name of their pool. */
  readonly poolLabel: string;
  /** What bounds the duration of an upgrade. */
  readonly delays: UpgradeDelays;
  /** When an instance was launched, epoch ms; undefined for one that it does not know. */
  launchedAt(instanceId: string): number | undefined;
  /** When a load balancer last began to drain the connections of an instance, epoch ms; undefined when none has. */
  deregisteredAt(instanceId: string): number | undefined;
  /** Where it listens in the root namespace, for people. */
  readonly url: string;
  /** Environment of clients in the root namespace, which find the cluster by themselves. */
  readonly outside: Readonly<Record<string, string>>;
  /** Environment of clients inside the lab. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts the cloud's own controllers; needs an API server that answers. */
  startControllers(kubeconfig: string): Promise<readonly ControlPlaneProcess[]>;
  /** Undefined while the Service has no load balancer. */
  describeService(service: V1Service): Service | undefined;
  /** Changes load balancers as the scenario says, once they exist. */
  configure(services: readonly Service[]): Promise<void>;
  /** Why the load balancers of a Service do not send connections to an instance yet; undefined when all do. */
  targetFault(service: Service, instanceId: string): string | undefined;
}

/** What a simulated cloud is opened with. */
export interface CloudSurroundings {
  readonly machines: Machines;
  readonly dataPlane: DataPlane;
  /** Cleanup functions; the last one is called first. */
  readonly undo: (() => Promise<unknown> | void)[];
}

/** What every Service with a load balancer is described by; undefined for one without a port. */
export function describeBalanced(
  service: V1Service,
  hostname: string,
  vips: LoadBalancedService['vips'],
): LoadBalancedService | undefined {
  const port = service.spec?.ports?.[0]?.port;
  if (port === undefined) return undefined;
  return {
    namespace: service.metadata?.namespace ?? '',
    name: service.metadata?.name ?? '',
    hostname,
    port,
    // A Service of another type than LoadBalancer has no policy, and pods are its targets.
    externalTrafficPolicy: service.spec?.externalTrafficPolicy === 'Cluster' ? 'Cluster' : 'Local',
    vips,
  };
}
