import { preStopOf } from '../../model/pre-stop.ts';
import { patchPods, withCommands } from '../commands.ts';
import { leastStopSeconds } from '../containers.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** WKL-011: a preStop hook that leaves little time of the grace period. */
export const wkl011ShortGrace: Rule = {
  id: 'WKL-011',
  severities: ['warning'],
  title: 'Little time to finish requests after the preStop hook',
  why: 'Requests that are open when the preStop hook ends have the rest of the grace period. Then the container is killed with them.',
  fix: 'Raise terminationGracePeriodSeconds to the preStop time and the duration of the slowest request.',
  source: 'Kubernetes docs, Pod Lifecycle, Termination of Pods',
  check: (question) =>
    groupPods(evictedPods(question), ({ pod }, object) => {
      const grace = pod.terminationGracePeriodSeconds;
      const preStop = preStopOf(pod);
      const left = grace - preStop;
      if (preStop === 0 || left <= 0 || left >= leastStopSeconds) return undefined;
      return {
        severity: 'warning',
        message: `${left} s of the grace period of ${grace} s are left after the preStop hook of ${preStop} s`,
        fix: {
          text: `Leave at least ${leastStopSeconds} s, or as long as the slowest request takes. It starts a rollout.`,
          ...withCommands(patchPods(object, { terminationGracePeriodSeconds: preStop + leastStopSeconds })),
        },
      };
    }),
};
