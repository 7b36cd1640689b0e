import { indexOf } from '../model/cluster-index.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { type Policy, podSurgeTermsOf } from '../policy/policy.ts';
import type { Lateness } from './replacements-of.ts';

/**
 * A workload whose hand-over is waited for, and why: its replacements don't serve yet, it may be handed over a little later, or
 * nothing that the run can do will let it be.
 */
export interface AwaitedWorkload {
  readonly workload: string;
  readonly kind: Lateness['kind'] | 'later';
  readonly reason: string;
}

/** Since when (epoch ms) workloads have been waited for, by key, and by kind and key. Plain data. */
export type LateSince = Readonly<Record<string, number>>;

/**
 * A ReplicaSet lets go of a pod within a second of its losing the label; only its controller's lease may keep it waiting, for 15 s (the default
 * of kube-controller-manager's --leader-elect-lease-duration). What takes longer is refused: an admission that forbids pods without an
 * owner denies the controller's patch, which fails its whole sync (pkg/controller/replicaset/replica_set.go), ms.
 */
const keptForMs = 30_000;

/** Which of the workloads that are waited for have been so for too long. What the API server refuses is told at once: waiting changes nothing. */
export function findTooLate(
  awaited: readonly AwaitedWorkload[],
  before: LateSince,
  now: number,
  { waits }: Pick<Policy, 'waits'>,
): { readonly lateSince: LateSince; readonly tooLate: readonly AwaitedWorkload[] } {
  const since = (key: string) => before[key] ?? now;
  const kindKey = ({ kind, workload }: AwaitedWorkload) => `${kind} ${workload}`;
  const patience: Partial<Record<AwaitedWorkload['kind'], number>> = {
    hopeless: 0,
    refused: waits.stabilizationMs,
    kept: keptForMs,
  };
  return {
    lateSince: Object.fromEntries(
      awaited.flatMap((one) => [one.workload, kindKey(one)].map((key) => [key, since(key)] as const)),
    ),
    tooLate: awaited.filter(
      (one) =>
        now - since(one.workload) >= waits.deadlines.replacementsMs ||
        now - since(kindKey(one)) >= (patience[one.kind] ?? Number.POSITIVE_INFINITY),
    ),
  };
}

/** What becomes of workloads that have been waited for too long: some lose their hand-over alone, others hold the run. */
export interface LateVerdict {
  readonly expired: readonly AwaitedWorkload[];
  /** Why the run can't go on without an operator, and what helps; undefined where it can. */
  readonly holds: { readonly reason: string; readonly hint: string } | undefined;
}

/**
 * A workload that can't be handed over loses its hand-over and is evicted within its budgets, unless the policy requires it. One whose
 * replacements were just seen to fail is not evicted either: its next pods would fail as they do, and those that serve be gone.
 */
export function judgeLate(tooLate: readonly AwaitedWorkload[], cluster: ClusterFacts, policy: Policy): LateVerdict {
  const required = tooLate.filter(({ workload }) => {
    const facts = indexOf(cluster).workload(workload);
    return podSurgeTermsOf(policy, facts).mode === 'required';
  });
  const failing = tooLate.filter((one) => one.kind === 'failing' && !required.includes(one));
  const holding = [...required, ...failing];
  const expired = tooLate.filter((one) => !holding.includes(one));
  if (holding.length === 0) return { expired, holds: undefined };
  const reason = holding.map(({ workload, reason }) => `${workload}: ${reason}`).join('; ');
  return { expired, holds: { reason, hint: failing.length > 0 ? failingHint : requiredHint } };
}

const requiredHint =
  'See why the replacements are not there; then resume. Or abort, and set mode auto for them in spec.podSurge.workloads.';

const failingHint =
  'The pods that they replace keep serving. Find out what keeps them from getting ready (kubectl describe pod), fix it and resume; or abort. If one gets ready only when another has left, delete the pods on the old nodes one by one, then resume.';
