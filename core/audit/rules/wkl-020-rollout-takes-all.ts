import { indexOf } from '../../model/cluster-index.ts';
import { count } from '../../text/format.ts';
import { patchObject } from '../commands.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** WKL-020: a workload behind a load balancer whose rollouts may take all pods away at once. */
export const wkl020RolloutTakesAll: Rule = {
  id: 'WKL-020',
  severities: ['warning'],
  title: 'Rollouts that may take all pods away at once',
  why: 'With strategy Recreate, or a maxUnavailable of all replicas, nothing serves while the new pods start. That happens with every change of the pod template, those that fix other findings included. It also keeps pod surge from starting replacements first.',
  fix: 'Use strategy RollingUpdate with maxUnavailable: 0 and maxSurge: 1.',
  source: 'Kubernetes docs, Deployments, Strategy',
  check: (question) =>
    groupPods(
      evictedPods(question).filter(({ isBalanced }) => isBalanced),
      ({ pod }, object) => {
        const workload = indexOf(question.facts.cluster).workload(pod.workload ?? '');
        if (workload?.mayLack === undefined || workload.mayLack < workload.replicas) return undefined;
        const [claim] = pod.volumeClaims ?? [];
        const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
        return {
          severity: 'warning',
          message: `a rollout may take ${workload.mayLack} of ${count(workload.replicas, 'replica')} away before any new one serves`,
          fix:
            claim === undefined
              ? {
                  text: 'Let a rollout start a new pod before it takes one away. The patch starts no rollout.',
                  commands: patchObject(object, { spec: { strategy: { type: 'RollingUpdate', rollingUpdate } } }),
                }
              : {
                  text: `Let a rollout start a new pod before it takes one away, if the application can share its volume (claim ${claim}) and more than one node can mount it: a new pod would wait for the old one for ever otherwise.`,
                },
        };
      },
    ),
};
