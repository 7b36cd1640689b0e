import { indexOf } from '../model/cluster-index.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { type Policy, podSurgeTermsOf } from '../policy/policy.ts';
import type { Lateness } from './replacements-of.ts';

/**
 * A workload whose pod surge is not complete, and why: its replacements do not serve yet, it can be surged a little later, or the run
 * can do nothing to make it possible.
 */
export interface AwaitedWorkload {
  readonly workload: string;
  readonly kind: Lateness['kind'] | 'later';
  readonly reason: string;
}

/** Since when (epoch ms) the run has waited for workloads, by key, and by kind and key. Plain data. */
export type LateSince = Readonly<Record<string, number>>;

/**
 * A ReplicaSet releases a pod within a second after the pod loses the label. Only a change of the controller's leader delays that, by up to
 * 15 s (the default of kube-controller-manager's --leader-elect-lease-duration). If it takes longer, an admission webhook that forbids pods
 * without an owner rejects the controller's patch, which fails its whole sync (pkg/controller/replicaset/replica_set.go). In ms.
 */
const keptForMs = 30_000;

/** Finds the workloads for which the run has waited too long. A refusal by the API server is reported soon, because waiting does not change it. */
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

/** The consequence for workloads for which the run has waited too long: some are evicted instead, others stall the run. */
interface LateVerdict {
  readonly expired: readonly AwaitedWorkload[];
  /** Why the run needs an operator, and what to do. Undefined when it can continue. */
  readonly stalled: { readonly reason: string; readonly hint: string } | undefined;
}

/**
 * A workload that cannot be surged is evicted within its budgets instead, unless the policy requires pod surge. A workload whose replacements
 * fail is not evicted either: its next pods would fail in the same way, and the serving ones would be gone. Nor, where nodes are drained and no
 * new ones come, is one whose replacements do not start: the nodes that its pods would leave are closed to new ones, so leaving makes no room.
 */
export function judgeLate(tooLate: readonly AwaitedWorkload[], cluster: ClusterFacts, policy: Policy): LateVerdict {
  const required = tooLate.filter(({ workload }) => {
    const facts = indexOf(cluster).workload(workload);
    return podSurgeTermsOf(policy, facts).mode === 'required';
  });
  const others = tooLate.filter((one) => !required.includes(one));
  const failing = others.filter(({ kind }) => kind === 'failing');
  const roomless = policy.selection === undefined ? [] : others.filter(({ kind }) => kind === 'starting');
  const stalling = [...required, ...failing, ...roomless];
  const expired = tooLate.filter((one) => !stalling.includes(one));
  if (stalling.length === 0) return { expired, stalled: undefined };
  const reason = stalling.map(({ workload, reason }) => `${workload}: ${reason}`).join('; ');
  const hint = failing.length > 0 ? failingHint : roomless.length > 0 ? roomlessHint : requiredHint;
  return { expired, stalled: { reason, hint } };
}

/** What is late in a round of a pod surge, and what happens to it. */
interface LateRound extends LateVerdict {
  readonly lateSince: LateSince;
}

/** Decides what has been waited for too long. `isRollingBack`: the run is aborted; then nothing stalls it. */
export function decideLate(
  awaited: readonly AwaitedWorkload[],
  before: LateSince,
  {
    cluster,
    policy,
    now,
    isRollingBack,
  }: {
    readonly cluster: ClusterFacts;
    readonly policy: Policy;
    readonly now: number;
    readonly isRollingBack: boolean;
  },
): LateRound {
  const { lateSince, tooLate } = findTooLate(awaited, before, now, policy);
  return {
    lateSince,
    ...(isRollingBack ? { expired: tooLate, stalled: undefined } : judgeLate(tooLate, cluster, policy)),
  };
}

export const requiredHint =
  'Find out why the replacements do not serve, fix it, then resume. Or abort, and set mode auto for these workloads in spec.podSurge.workloads.';

const roomlessHint =
  'The old pods keep serving. Make room for their replacements on nodes that stay (kubectl describe pod says what is missing), then resume; or abort.';

const failingHint =
  'The old pods keep serving. Find out why the replacements do not become ready (kubectl describe pod), fix it and resume; or abort. If a replacement becomes ready only after an old pod has left, delete the pods on the old nodes one by one, then resume.';
