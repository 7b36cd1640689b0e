import { preStopOf } from '../../model/pre-stop.ts';
import { patchPods, withCommands } from '../commands.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** What an application usually needs to stop, seconds: the default grace period of Kubernetes. */
const usualStopSeconds = 30;

/** WKL-010: a preStop hook that takes the whole grace period. */
export const wkl010SleepsTooLong: Rule = {
  id: 'WKL-010',
  severities: ['error'],
  title: 'A preStop hook as long as the grace period',
  why: 'The preStop hook counts inside the grace period. When it ends with the grace period, the container is killed at once, with every request that it is serving.',
  fix: 'Raise terminationGracePeriodSeconds to the preStop time and what the application needs to finish.',
  source: 'Kubernetes docs, Pod Lifecycle, Termination of Pods',
  check: (question) =>
    groupPods(evictedPods(question), ({ pod }, object) => {
      const grace = pod.terminationGracePeriodSeconds;
      const preStop = preStopOf(pod);
      if (preStop === 0 || preStop < grace) return undefined;
      const terminationGracePeriodSeconds = preStop + usualStopSeconds;
      return {
        severity: 'error',
        message: `the preStop hook takes at least ${preStop} s of a grace period of ${grace} s: killed with open requests`,
        fix: {
          text: `Give them time to finish after the hook. This gives ${usualStopSeconds} s; it starts a rollout.`,
          ...withCommands(patchPods(object, { terminationGracePeriodSeconds })),
        },
      };
    }),
};
