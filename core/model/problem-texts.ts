import type { ProblemCode } from './problem.ts';

/** What a problem code means in general, and what the reader can do. A problem itself says the same of certain objects. */
interface ProblemText {
  readonly means: string;
  readonly fix: string;
}

/** What every problem code means. */
export const problemTexts: Readonly<Record<ProblemCode, ProblemText>> = {
  InvalidArgument: {
    means: 'The command line or a setting is wrong. Nothing was started.',
    fix: 'Correct what the message names.',
  },
  InvalidPolicy: {
    means: 'The policy or the saved plan is wrong. Nothing was started.',
    fix: 'Correct the fields that the message names: nodeferry validate -f POLICY',
  },
  PoolNotFound: {
    means: 'There is no such pool in the cloud, or no run of it.',
    fix: 'Check the names of cluster and pool: nodeferry list --all',
  },
  PlanOutdated: {
    means: 'Something in the saved plan has changed since it was reviewed. The run is refused.',
    fix: 'Make the plan anew and review it: nodeferry plan -f POLICY --out PLAN',
  },
  PreflightRefused: {
    means: 'The plan has findings with severity blocker: the pool cannot be replaced without loss.',
    fix: 'Fix what the findings name, then start again. A finding is explained by its rule: nodeferry explain RULE',
  },
  NotFinished: {
    means: 'What was started has not finished yet.',
    fix: 'Wait, and try again.',
  },
  AlreadyRunning: {
    means: 'An upgrade of this pool is under way. A pool has one run at a time.',
    fix: 'Watch it (nodeferry watch CLUSTER/POOL), or end it first (nodeferry abort CLUSTER/POOL).',
  },
  LockHeld: {
    means: 'Another run holds the lock on the pool, a Lease in the cluster.',
    fix: 'Wait for that run. If it was terminated, clean up after it: nodeferry cleanup CLUSTER/POOL',
  },
  LockLost: {
    means: 'The run no longer holds the lock on the pool. It excludes no further node until it has acquired it again.',
    fix: 'Find out whether another run works on the pool, or who has deleted the Lease. Then: nodeferry resume CLUSTER/POOL',
  },
  Superseded: {
    means: 'A later attempt acts on the same object, so this one has stopped.',
    fix: 'Nothing: the later attempt continues.',
  },
  Forbidden: {
    means: 'Credentials are missing, or do not allow what is needed.',
    fix: 'Grant the permission that the message names; deploy and docs/worker.md list all that are needed.',
  },
  ClusterUnreachable: {
    means: 'The API server of the cluster does not answer, or the kubeconfig cannot be used.',
    fix: 'Check the kubeconfig, its context, and the network. A run waits and continues by itself.',
  },
  TemporalUnreachable: {
    means: 'The Temporal server or a worker does not answer.',
    fix: 'Check TEMPORAL_ADDRESS and the network, or start a worker: nodeferry worker',
  },
  Throttled: {
    means: 'The cloud or the API server asks for fewer requests.',
    fix: 'Nothing: nodeferry waits as long as it is asked to, and tries again.',
  },
  ProviderUnavailable: {
    means: 'The cloud does not answer, or answers with an error of its own.',
    fix: 'Nothing as long as it is retried. If it lasts, check the network and the status page of the cloud.',
  },
  ProviderRefused: {
    means: 'The cloud refuses a request and would refuse it again, or the certificate of its server is not trusted.',
    fix: 'Correct what its answer names, often a quota or a field of spec.target. Then: nodeferry resume CLUSTER/POOL',
  },
  CapacityUnavailable: {
    means: 'The cloud has no capacity for the new instances.',
    fix: 'Wait and resume the run, or abort it and choose other instance types or zones.',
  },
  Conflict: {
    means: 'What was asked for does not go with the state of the run or of an object.',
    fix: 'See the state: nodeferry status CLUSTER/POOL',
  },
  AdmissionDenied: {
    means: 'An admission webhook or policy of the cluster refuses a change.',
    fix: 'Ask the owner of that webhook or policy to exempt nodeferry. Then: nodeferry resume CLUSTER/POOL',
  },
  NodeUnreachable: {
    means:
      'The kubelet of a node and the load balancers have heard nothing from it. Its pods cannot end in an orderly way.',
    fix: 'See whether the instance is still running, and terminate it if it serves nothing. The run continues once it has ended.',
  },
  NotOwned: {
    means: 'An object does not belong to this run, so the run does not change it.',
    fix: 'Find out who has changed it, then plan again.',
  },
  DeadlineExceeded: {
    means: 'A step did not end before its deadline. Nothing was forced.',
    fix: 'Fix what it waits for and resume the run, or raise the deadline in spec.waits.deadlines for the next one.',
  },
  ApprovalMissing: {
    means: 'Nobody has approved in time what the policy wants to be approved (spec.rollout.approvals).',
    fix: 'nodeferry approve CLUSTER/POOL   or: nodeferry reject CLUSTER/POOL --reason WHY',
  },
  RunAborted: {
    means:
      'An operator aborted the run or rolled it back, or the policy aborted it. It has restored everything that it could.',
    fix: 'Nothing. The report says what is left, if anything: nodeferry report CLUSTER/POOL',
  },
  RollbackIncomplete: {
    means: 'Not everything could be restored after the run.',
    fix: 'Fix what the message names, then remove the rest: nodeferry cleanup CLUSTER/POOL --yes',
  },
  Internal: {
    means: 'Something that nodeferry does not expect, most likely a bug.',
    fix: 'Look for the cause in the log of the worker, and report it together with that log.',
  },
};
