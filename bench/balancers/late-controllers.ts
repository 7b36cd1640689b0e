/** Controllers that are late, as the rule `wait-for-deregistration` expects them to be. */
import type { RunStatus } from '../../core/status/status.ts';
import type { GkeLab } from '../../lab/gke-lab.ts';
import type { Lab } from '../../lab/lab.ts';

/**
 * For how long after the first exclusion nothing leaves its load balancer, ms. A controller that was refused tries again after 5 s at first, and after
 * minutes when it was refused several times: up to 300 s (kubernetes, staging/src/k8s.io/cloud-provider/controllers/service/controller.go,
 * maxRetryDelay) or 600 s (ingress-gce, pkg/neg/syncers/utils.go, maxRetryDelay).
 */
const lateMs = 60_000;

/** By which calls controllers take nodes and pods out of their load balancers. */
const departures = [
  'targetPools.removeInstance',
  'instanceGroups.removeInstances',
  'networkEndpointGroups.detachNetworkEndpoints',
] as const;

/** Has Google refuse whatever takes a node or a pod out of its load balancer. The answer allows it again. */
export function refuseOnGoogle({ faults }: Pick<GkeLab['gcp'], 'faults'>): () => void {
  for (const method of departures) faults.fail('unavailable', { service: 'compute', method }, Number.POSITIVE_INFINITY);
  return () => faults.clear();
}

/** The same on AWS. */
export function refuseOnAws({ faults }: Pick<Lab['aws'], 'faults'>): () => void {
  faults.throttle({ service: 'elbv2', action: 'DeregisterTargets' }, 1);
  return () => faults.clear();
}

/** Controllers that are refused. */
interface LateControllers {
  /** Learns from each status whether the time has begun to pass. */
  readonly onStatus: (status: Pick<RunStatus, 'nodes'>) => void;
  readonly end: () => void;
}

/** Has controllers refused from now on until `lateMs` after the first node was excluded. */
export function startLateControllers(refuse: () => () => void): LateControllers {
  const allow = refuse();
  let timer: NodeJS.Timeout | undefined;
  return {
    onStatus: ({ nodes }) => {
      const excluded = nodes.some(({ evidence }) => evidence.some(({ kind }) => kind === 'excluded'));
      if (excluded) timer ??= setTimeout(allow, lateMs);
    },
    end: () => {
      clearTimeout(timer);
      allow();
    },
  };
}
